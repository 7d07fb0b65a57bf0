import { type SqlBool, sql } from 'kysely';
import type { Field } from '../../core/resource/resource.ts';
import { compiler, eachOf, eachValue, Slot } from '../../query/statement.ts';
import { assignments } from './columns.ts';

/** The records whose ids are the values of slot 1. */
export const isAmong = (table: string, key: string) =>
  sql<SqlBool>`${sql.id(table, key)} = any(${new Slot(1)}::bigint[])`;

/** The id as the last column, by which a row is given to the statement that it is for. */
export const keyed = (table: string, key: string) => sql`${sql.id(table, key)}`.as('keyed');

/** Inserts so many rows: ids in the first columns, then the values of fields. */
export const insertRows = (table: string, ids: readonly string[], fields: readonly Field[], count: number) => {
  const width = ids.length + fields.length;
  const row = (first: number) => ({
    ...Object.fromEntries(ids.map((name, index) => [name, new Slot(first + index)])),
    ...assignments(fields, first + ids.length),
  });
  return compiler.insertInto(table).values(Array.from({ length: count }, (_, index) => row(1 + index * width)));
};

/** Changes fields of records whose ids are the values of slot 1, and sets columns of all. */
export const updateEach = (
  table: string,
  key: string,
  fields: readonly Field[],
  others: Readonly<Record<string, unknown>>,
) =>
  compiler
    .updateTable(table)
    .from(eachOf(new Map([[1, 'integer'], ...fields.map(({ type }, index) => [2 + index, type] as const)])))
    .set({
      ...Object.fromEntries(fields.map(({ name, storage }, index) => [storage?.column ?? name, eachValue(2 + index)])),
      ...others,
    })
    .where(sql<SqlBool>`${sql.id(table, key)} = ${eachValue(1)}`);
