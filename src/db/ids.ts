import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from './database.ts';

/** Returns the ids as a Postgres array literal. */
export const literal = (ids: readonly number[]): string => `{${ids.join(',')}}`;

/** Returns the right side of a condition: one of the ids. */
export const oneOf = (ids: readonly number[]): RawBuilder<number> => oneIn(literal(ids));

/** Returns the same for an array literal, as values of prepared queries are. */
export const oneIn = (ids: string): RawBuilder<number> => sql`any(${ids}::bigint[])`;

/** Returns the distinct ids in ascending order, the order in which rows are locked. */
export const unique = (ids: readonly number[]): number[] => [...new Set(ids)].sort((a, b) => a - b);

/** Returns an id for a new record of the table. */
export const newId = async (transaction: Pick<Transaction, 'newIds'>, table: string): Promise<number> => {
  const [id] = await transaction.newIds(table, 1);
  return id as number;
};

/** Returns the rows, each with a new id of the table. */
export const withIds = async <Row extends object>(
  transaction: Pick<Transaction, 'newIds'>,
  table: string,
  rows: readonly Row[],
): Promise<(Row & { readonly id: number })[]> => {
  const ids = await transaction.newIds(table, rows.length);
  return rows.map((row, index) => ({ ...row, id: ids[index] as number }));
};

/** The number of rows of one insert; the number of a statement's values is limited. */
export const insertable = 1_000;
