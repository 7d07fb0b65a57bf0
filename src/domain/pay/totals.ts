import type { Transaction } from '../../db/database.ts';

/** Stores the number of a pay run's paysheets and their sums. */
export const storeTotals = async (id: number, { kysely }: Transaction): Promise<void> => {
  const rows = await kysely
    .selectFrom('paysheets')
    .select(({ fn }) => ['currency', fn.countAll<number>().as('count'), fn.sum<string>('total').as('amount')])
    .where('pay_run_id', '=', id)
    .groupBy('currency')
    .orderBy('currency')
    .execute();
  const [only] = rows;
  await kysely
    .updateTable('pay_runs')
    .set({
      paysheet_count: rows.reduce((sum, { count }) => sum + Number(count), 0),
      totals: JSON.stringify(rows.map(({ currency, amount }) => ({ currency, amount: Number(amount) }))),
      total: rows.length > 1 ? null : (only?.amount ?? 0),
    })
    .where('id', '=', id)
    .execute();
};
