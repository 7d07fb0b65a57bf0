import { cachedBy } from './cached.ts';
import type { Json } from './call/reply.ts';
import { type Lines, linesKeyword, normalise } from './lines.ts';

/** The keywords of a JSON Schema that decide the stored form of values. */
export interface FormSchema {
  readonly anyOf?: readonly FormSchema[];
  readonly oneOf?: readonly FormSchema[];
  readonly const?: Json;
  readonly type?: string;
  readonly items?: FormSchema;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly [linesKeyword]?: Lines;
}

/**
 * Returns a value in the form in which it is stored, at any depth.
 * Flags as 0 or 1, strings of text normalised, an empty one as null where the schema allows null. Invalid values stay unchanged.
 * Objects and arrays are changed in place: a copy of very many members takes long. See docs/decisions.md, "Fields in requests".
 * @param schema without references
 */
export const toStoredForm = (schema: FormSchema, value: Json): Json => {
  if (typeof value === 'boolean') return takesFlag(schema) ? Number(value) : value;
  if (typeof value === 'string') return toStoredText(variantsOf(schema), value);
  if (typeof value !== 'object' || value === null) return value;
  const { items, properties } = partsOf(schema);
  if (Array.isArray(value)) {
    for (let index = 0; items && index < value.length; index++) value[index] = toStoredForm(items, value[index]);
    return value;
  }
  const given = value as Record<string, Json>;
  // By the schema's members, not the value's, of which there can be very many.
  for (const [name, member] of properties) {
    if (Object.hasOwn(given, name)) given[name] = toStoredForm(member, given[name] as Json);
  }
  return value;
};

const variantsOf = (schema: FormSchema): readonly FormSchema[] => [schema, ...(schema.anyOf ?? []).flatMap(variantsOf)];

/** The schemas of the items and members of a value. */
interface SchemaParts {
  readonly items: FormSchema | undefined;
  readonly properties: readonly (readonly [name: string, schema: FormSchema])[];
}

/** Once for each schema: an array can have very many items. */
const partsOf = cachedBy((schema: FormSchema): SchemaParts => {
  const { items, properties } = variantsOf(schema).find(({ items, properties }) => items ?? properties) ?? {};
  return { items, properties: Object.entries(properties ?? {}) };
});

/** Whether a schema takes 0, 1, true and false. */
const takesFlag = ({ anyOf = [] }: FormSchema): boolean =>
  anyOf.some(({ type }) => type === 'boolean') &&
  anyOf.some(({ oneOf }) => oneOf?.every(item => item.const === 0 || item.const === 1));

const toStoredText = (variants: readonly FormSchema[], value: string): Json => {
  const lines = variants.find(variant => variant[linesKeyword])?.[linesKeyword];
  if (!lines) return value;
  const text = normalise(lines, value);
  return text === '' && variants.some(({ type }) => type === 'null') ? null : text;
};
