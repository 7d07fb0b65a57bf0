import { ApiError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { now } from '../../db/now.ts';
import { releaseSheets } from '../../domain/pay/correction.ts';
import { OPEN } from '../../domain/pay/payment.ts';
import { storeTotals } from '../../domain/pay/totals.ts';
import { lockAssignments } from '../../domain/staffing/locks.ts';
import type { Action } from '../../engine/action.ts';

/** DELETE /pay-runs/{id}/paysheets/{paysheet_id}: takes a paysheet out of an open pay run. */
export const removePaysheet: Action<'payRuns_removePaysheet'> = ({ id, params }, db) =>
  db.transaction(async transaction => {
    const { kysely } = transaction;
    const sheet = { id, paysheetId: Number(params.paysheet_id) };
    const assignment = await assignmentOf(sheet, transaction);
    await lockAssignments([assignment], transaction);
    const run = await kysely
      .updateTable('pay_runs')
      .set({ updated_at: now })
      .where('id', '=', id)
      .returning('status')
      .executeTakeFirst();
    // Another request may have taken it out while this one waited for the locks.
    await assignmentOf(sheet, transaction);
    if (run?.status !== OPEN)
      throw new ApiError('invalid_transition', { message: 'Only an open pay run can lose a paysheet.' });
    await releaseSheets({ field: 'id', id: sheet.paysheetId }, transaction);
    await storeTotals(id, transaction);
    return { status: 204, headers: {}, body: null };
  });

/** @throws ApiError not_found (404) unless the paysheet is on the pay run */
const assignmentOf = async (
  { id, paysheetId }: { readonly id: number; readonly paysheetId: number },
  { kysely }: Transaction,
): Promise<number> => {
  const query = kysely.selectFrom('paysheets').select('assignment_id').where('id', '=', paysheetId);
  const row = await query.where('pay_run_id', '=', id).executeTakeFirst();
  if (!row) throw new ApiError('not_found');
  return row.assignment_id;
};
