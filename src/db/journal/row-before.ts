import { expressionBuilder, type OperationNode, type RawBuilder, sql } from 'kysely';

const ALIAS = 'journal_before';

/** A value of the record before the update: of its key, or of a column that the update sets. */
export const before = (column: string): RawBuilder<unknown> => sql.id(ALIAS, `before_${column}`);

/** Returns a table's rows before an update, as a part of its FROM; prefixes distinguish the columns. */
export const rowBefore = (table: string, key: string, columns: readonly string[]): OperationNode =>
  // biome-ignore lint/suspicious/noExplicitAny: the table is known at run time only
  expressionBuilder<any, never>()
    .selectFrom(`${table} as ${ALIAS}_row`)
    .select([...new Set([key, ...columns])].map(column => sql.id(`${ALIAS}_row`, column).as(`before_${column}`)))
    .as(ALIAS)
    .toOperationNode();
