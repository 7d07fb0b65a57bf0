import type { Json } from '../core/call/reply.ts';
import type { FieldError } from '../core/errors.ts';
import type { Field } from '../core/resource/resource.ts';
import { ajv } from '../core/validator.ts';
import { toFieldErrors } from '../core/violations.ts';

interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: Json;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Whether a schema takes 0, 1, true and false. */
const takesFlag = ({ anyOf = [] }: Schema): boolean =>
  anyOf.some(({ type }) => type === 'boolean') &&
  anyOf.some(({ oneOf }) => oneOf?.every(item => item.const === 0 || item.const === 1));

/** The value with its flags, however deep, as 0 or 1. */
const withFlags = (schema: Schema, value: Json): Json => {
  if (typeof value === 'boolean') return takesFlag(schema) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const { items, properties } =
    [schema, ...(schema.anyOf ?? [])].find(({ items, properties }) => items ?? properties) ?? {};
  if (Array.isArray(value)) return items ? value.map(item => withFlags(items, item)) : value;
  if (!properties) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      Object.hasOwn(properties, name) ? withFlags(properties[name] as Schema, member) : member,
    ]),
  );
};

/** Checks an object or array against its field's schema: an entry for each member that fails, such as `rules.0.count`. */
export const checkJson = (
  { name, schema }: Field,
  given: Json,
): { readonly value: Json } | { readonly errors: readonly FieldError[] } => {
  if (!schema) return { value: given };
  const validate = ajv.compile(schema);
  // Only then: a copy of a value that is not valid could be of any size.
  if (validate(given)) return { value: withFlags(schema, given) };
  const found = validate.errors ?? [];
  // A null inside of a value has the wrong type; only a field that is null lacks a value.
  const within = found.map(({ data: _, ...error }) => ({ ...error, instancePath: `/${name}${error.instancePath}` }));
  return { errors: toFieldErrors(within) };
};
