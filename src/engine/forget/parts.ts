import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Cleared, Forgettable, ForgettablePart } from '../../core/resource/forgettable.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Result, Transaction } from '../../db/database.ts';
import { literal, unique } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { bind, compiler, Slot, template } from '../../query/statement.ts';

/** Records of a table that are part of a person's, by their keys. */
export interface PartRecords {
  readonly part: ForgettablePart;
  readonly ids: readonly number[];
}

/**
 * Returns all records that are part of a person's.
 * Table by table, each by id, and each after what it is part of. Those that are cleared are locked.
 */
export const lockParts = async (
  { table }: Resource,
  { parts }: Forgettable,
  id: number,
  transaction: Transaction,
): Promise<readonly PartRecords[]> => {
  const known = new Map<string, readonly number[]>([[table, [id]]]);
  const records: PartRecords[] = [];
  for (const part of parts) {
    const statement = bind(lockTemplate(part), [String(transaction.tenant.id), literal(known.get(part.of) ?? [])]);
    const [result] = await transaction.send(statement);
    const ids = (result as Result).rows.map(([key]) => Number(key));
    known.set(part.table, unique([...(known.get(part.table) ?? []), ...ids]));
    records.push({ part, ids });
  }
  return records;
};

const lockTemplate = ({ table, key, by, when, cleared }: ForgettablePart) =>
  template(`part|${table}|${by}|${when?.value}`, () => {
    const query = compiler
      .selectFrom(table)
      .select(key)
      .where(sql<SqlBool>`${sql.id(table, by)} = any(${new Slot(1)}::bigint[])`)
      .orderBy(key)
      .$if(cleared.length > 0, locked => locked.forNoKeyUpdate());
    return (when ? query.where(sql<SqlBool>`${sql.id(table, when.column)} = ${sql.lit(when.value)}`) : query).compile();
  });

/** Clears what records contain about a person: one statement for each table. */
export const clearParts = async (records: readonly PartRecords[], transaction: Transaction): Promise<void> => {
  const statements = records
    .filter(({ part, ids }) => part.cleared.length > 0 && ids.length > 0)
    .map(({ part, ids }) => bind(clearTemplate(part), [String(transaction.tenant.id), literal(ids)]));
  if (statements.length > 0) await transaction.send(...statements);
};

const clearTemplate = ({ table, key, by, cleared, touched }: ForgettablePart) =>
  template(`clear|${table}|${by}`, () => {
    const values = cleared.map(column => ({ column, value: clearedValue(table, column) }));
    const differs = values.map(
      ({ column, value }) => sql<SqlBool>`${sql.id(table, column.column)} is distinct from ${value}`,
    );
    return compiler
      .updateTable(table)
      .set({
        ...Object.fromEntries(values.map(({ column, value }) => [column.column, value])),
        ...(touched && { updated_at: now }),
      })
      .where(sql<SqlBool>`${sql.id(table, key)} = any(${new Slot(1)}::bigint[])`)
      .where(sql<SqlBool>`(${sql.join(differs, sql` or `)})`)
      .compile();
  });

const clearedValue = (table: string, { column, empty, members }: Cleared): RawBuilder<unknown> => {
  if (empty) return sql`'[]'::jsonb`;
  return members ? sql`cleared_members(${sql.id(table, column)}, ${sql.lit(`{${members}}`)})` : sql`null`;
};
