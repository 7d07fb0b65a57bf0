import { type SqlBool, sql } from 'kysely';
import { cachedBy } from '../../core/cached.ts';
import { encode } from '../../core/resource/codec.ts';
import { completeSet, type FieldSet } from '../../core/resource/fields.ts';
import type { Field } from '../../core/resource/resource.ts';
import type { Statement } from '../../db/database.ts';
import { journalTables } from '../../db/journal/tables.ts';
import { bind, Slot, type StatementTemplate } from '../../query/statement.ts';
import type { Values } from '../body.ts';

/** The record whose id is the first value after the tenant. */
export const hasKey = (table: string, key: string) => sql<SqlBool>`${sql.id(table, key)} = ${new Slot(1)}::bigint`;

/** The fields that a write reads: those stored or generated, and the time of the last change. */
export const readBefore = cachedBy((set: FieldSet): readonly Field[] => [
  ...stored(set),
  ...generated(set),
  ...completeSet(set).fields.filter(({ name, computed }) => name === 'updated_at' && computed),
]);

/** The fields that the database computes from others of the same record. */
export const generated = (set: FieldSet): readonly Field[] => {
  const names = journalTables.get(set.resource.table)?.generated;
  return names?.size ? completeSet(set).fields.filter(({ name }) => names.has(name)) : [];
};

/** The fields that are stored: those hidden from the API user, too. */
export const stored = cachedBy((set: FieldSet): readonly Field[] =>
  completeSet(set).fields.filter(({ computed }) => !computed),
);

/** Returns the fields that values have, in the set's order, which makes statements repeat. */
export const written = (set: FieldSet, values: Values): readonly Field[] =>
  stored(set).filter(({ name }) => Object.hasOwn(values, name));

/** The slots of the fields' columns, from the given one on. */
export const assignments = (fields: readonly Field[], start: number): Record<string, Slot> =>
  Object.fromEntries(fields.map(({ name, storage }, index) => [storage?.column ?? name, new Slot(start + index)]));

/** Binds a template to the leading values and those of the fields. */
export const bindFields = (
  made: StatementTemplate,
  fields: readonly Field[],
  values: Values,
  leading: readonly string[],
): Statement => bind(made, [...leading, ...fields.map(({ name, type }) => encode(type, values[name] ?? null))]);
