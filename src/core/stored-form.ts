import type { Json } from './call/reply.ts';
import { type Lines, normalise } from './lines.ts';

/** The keywords of a JSON Schema that decide the stored form of values. */
export interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: Json;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-lines'?: Lines;
}

/**
 * Returns a value in the form in which it is stored, at any depth: flags as 0 or 1, strings normalised, an empty string as null
 * where the schema allows null. Invalid values stay unchanged.
 * @param schema without references
 */
export const toStoredForm = (schema: Schema, value: Json): Json => {
  const variants = [schema, ...(schema.anyOf ?? [])];
  if (typeof value === 'boolean') return takesFlag(schema) ? Number(value) : value;
  if (typeof value === 'string') return toStoredText(variants, value);
  if (typeof value !== 'object' || value === null) return value;
  const { items, properties } = variants.find(({ items, properties }) => items ?? properties) ?? {};
  if (Array.isArray(value)) return items ? value.map(item => toStoredForm(items, item)) : value;
  if (!properties) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      Object.hasOwn(properties, name) ? toStoredForm(properties[name] as Schema, member) : member,
    ]),
  );
};

/** Whether a schema takes 0, 1, true and false. */
const takesFlag = ({ anyOf = [] }: Schema): boolean =>
  anyOf.some(({ type }) => type === 'boolean') &&
  anyOf.some(({ oneOf }) => oneOf?.every(item => item.const === 0 || item.const === 1));

const toStoredText = (variants: readonly Schema[], value: string): Json => {
  const lines = variants.find(variant => variant['x-lines'])?.['x-lines'];
  const text = lines ? normalise(lines, value) : value;
  return text === '' && variants.some(({ type }) => type === 'null') ? null : text;
};
