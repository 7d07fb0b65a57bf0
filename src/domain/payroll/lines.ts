import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { fetchBatches } from '../../query/read.ts';
import type { PayrollLine } from './cell.ts';
import { lineFields, type PayrollFileFormat, summed } from './format.ts';

/** The lines of a pay run in batches, grouped if the format says so; few are in memory at a time. */
export async function* linesOf(
  payRunId: number,
  { group_by: groups, cells, required }: PayrollFileFormat,
  transaction: Transaction,
): AsyncGenerator<readonly PayrollLine[]> {
  const shown = [...cells.flatMap(({ value }) => value ?? []), ...required];
  const names = [...new Set([...(groups ?? []), ...shown])].filter(name => lineFields.has(name));
  const { sql: text, parameters } = (groups ? grouped : single)(payRunId, names, groups ?? [], transaction).compile();
  const statement = { name: null, text, values: parameters.map(String) };
  for await (const batch of fetchBatches(statement, statements => transaction.send(...statements)))
    yield batch.map(cells => ({
      values: Object.fromEntries(names.map((name, index) => [name, cells.text(index)])),
      hours: cells.text(names.length) ?? '0',
    }));
}

const isHour = sql<boolean>`unit = 'hour'`;

const from = (payRunId: number, { kysely }: Transaction) =>
  kysely.selectFrom('pay_run_lines_view').where('pay_run_id', '=', payRunId);

/** Cells are texts whatever a field's type is. */
const textOf = (name: string) => sql<string | null>`${sql.ref(name)}::text`.as(name);

const single = (payRunId: number, names: readonly string[], _: readonly string[], transaction: Transaction) =>
  from(payRunId, transaction)
    .select(names.map(textOf))
    .select(sql<string>`case when ${isHour} then quantity else 0 end::text`.as('hours'))
    .orderBy('id');

/** Amounts of several currencies are never summed. */
const grouped = (payRunId: number, names: readonly string[], groups: readonly string[], transaction: Transaction) => {
  const keys = [...new Set([...groups, 'currency'])];
  return from(payRunId, transaction)
    .select(
      names.map(name => (summed.includes(name) ? sql<string>`sum(${sql.ref(name)})::text`.as(name) : textOf(name))),
    )
    .select(sql<string>`coalesce(sum(quantity) filter (where ${isHour}), 0)::text`.as('hours'))
    .groupBy(keys.map(name => sql.ref(name)))
    .orderBy(sql.join(keys.map(name => sql.ref(name))));
};
