import { invalidField } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { isStorable } from './money.ts';

/**
 * Stores the number of a pay run's paysheets and their sums.
 * @throws ApiError validation_failed (422) if one is out of range
 */
export const storeTotals = async (id: number, { kysely }: Transaction): Promise<void> => {
  const rows = await kysely
    .selectFrom('paysheets')
    .select(({ fn }) => ['currency', fn.countAll<number>().as('count'), fn.sum<string>('total').as('amount')])
    .where('pay_run_id', '=', id)
    .groupBy('currency')
    .orderBy('currency')
    .execute();
  if (!rows.every(({ amount }) => isStorable(amount)))
    throw invalidField('out_of_range', 'total', 'The sum of the pay is out of range.');
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
