import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Cleared, Forgettable, ForgettablePart } from '../../core/resource/forgettable.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf, unique } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import type { AnyTables } from '../../query/statement.ts';

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
  const kysely: Kysely<AnyTables> = transaction.kysely;
  const known = new Map<string, readonly number[]>([[table, [id]]]);
  const records: PartRecords[] = [];
  for (const part of parts) {
    const { when } = part;
    const [found] = await transaction.run(
      kysely
        .selectFrom(part.table)
        .select(`${part.key} as key`)
        .where(part.by, '=', oneOf(known.get(part.of) ?? []))
        .$if(when !== undefined, query => query.where(when?.column ?? '', '=', when?.value))
        .orderBy(part.key)
        .$if(part.cleared.length > 0, locked => locked.forNoKeyUpdate()),
    );
    const ids = found.map(({ key }) => Number(key));
    known.set(part.table, unique([...(known.get(part.table) ?? []), ...ids]));
    records.push({ part, ids });
  }
  return records;
};

/** Clears what records contain about a person: one statement for each table. */
export const clearParts = async (records: readonly PartRecords[], transaction: Transaction): Promise<void> => {
  const filled = records.filter(({ part, ids }) => part.cleared.length > 0 && ids.length > 0);
  await transaction.run(...filled.map(found => clearing(found, transaction.kysely)));
};

const clearing = ({ part: { table, key, cleared, touched }, ids }: PartRecords, kysely: Kysely<AnyTables>) => {
  const values = cleared.map(column => ({ column, value: clearedValue(table, column) }));
  const differs = values.map(
    ({ column, value }) => sql<SqlBool>`${sql.id(table, column.column)} is distinct from ${value}`,
  );
  return kysely
    .updateTable(table)
    .set({
      ...Object.fromEntries(values.map(({ column, value }) => [column.column, value])),
      ...(touched && { updated_at: now }),
    })
    .where(sql<SqlBool>`${sql.id(table, key)} = ${oneOf(ids)}`)
    .where(sql<SqlBool>`(${sql.join(differs, sql` or `)})`);
};

const clearedValue = (table: string, { column, empty, members }: Cleared): RawBuilder<unknown> => {
  if (empty) return sql`'[]'::jsonb`;
  return members ? sql`cleared_members(${sql.id(table, column)}, ${sql.lit(`{${members}}`)})` : sql`null`;
};
