import type { OpenAPI3Document } from '@typespec/openapi3';

/** The range of an integer column. */
export const int32 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };

/** A JSON Schema or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** Replaces references in the schema by the components, and removes the keywords that only document. */
export const resolveSchema = (document: OpenAPI3Document, schema: Schema): Schema => {
  const { $ref, description: _, title: __, examples: ___, default: ____, ...rest } = schema;
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, resolveValue(document, value)]));
  if (typeof $ref !== 'string') return own;
  const name = $ref.split('/').at(-1) as string;
  return { ...resolveSchema(document, document.components?.schemas?.[name] as Schema), ...own };
};

const resolveValue = (document: OpenAPI3Document, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(item => resolveValue(document, item));
  if (typeof value !== 'object' || value === null) return value;
  return resolveSchema(document, value as Schema);
};

/** Returns schemas without references, keywords that only document, and extensions (`x-…`), by name. */
export const resolveSchemas = (
  document: OpenAPI3Document,
  schemas: Readonly<Record<string, Schema>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(resolveSchema(document, schema))]));

const bare = (schema: Schema): unknown =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key.startsWith('x-') ? undefined : value)));
