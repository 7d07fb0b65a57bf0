import { type AliasedRawBuilder, sql } from 'kysely';

/** Returns rows as a table `d` of a query, with their ids and columns of the types given. */
export const recordset = (
  rows: readonly object[],
  columns: Readonly<Record<string, string>>,
): AliasedRawBuilder<{ readonly id: number }, 'd'> => {
  const types = Object.entries({ id: 'bigint', ...columns }).map(
    ([name, type]) => sql`${sql.id(name)} ${sql.raw(type)}`,
  );
  return sql<{ id: number }>`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)`.as<'d'>(sql`d(${sql.join(types)})`);
};

/** Returns the assignments of an update from `recordset`: each column gets the value of its record. */
export const fromRecordset = (columns: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.keys(columns).map(name => [name, sql<never>`${sql.id('d', name)}`]));
