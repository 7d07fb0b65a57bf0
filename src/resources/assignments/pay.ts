import { resources } from '../../../generated/resources.ts';
import { ApiError, fieldError, validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { onPayRun, paysheetOf, recordPayment } from '../../domain/pay/payment.ts';
import { lockSeats } from '../../domain/staffing/seats.ts';
import type { Action } from '../../engine/action.ts';
import { checkInstant } from '../../engine/value.ts';
import { endWithRecord } from '../../engine/verb.ts';

/** PUT /assignments/{id}/pay: sets the date on which approved work was paid; null resets it. */
export const pay: Action<'assignments_pay'> = (call, db) =>
  db.transaction(async transaction => {
    const { id, body, principal } = call;
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    const checked =
      body.paid_on === null
        ? { value: null }
        : checkInstant({ name: 'paid_on' }, body.paid_on, principal.tenant.timeZone);
    if ('errors' in checked) throw validationFailed(checked.errors);
    const paidOn = checked.value as string | null;
    if (paidOn !== null && !seat.is_approved) throw validationFailed([fieldError('not_approved', 'paid_on')]);
    await requireFree(id, paidOn, transaction);
    await recordPayment([id], paidOn, principal.apiUser.id, transaction);
    return endWithRecord(resources.assignments, id, call, transaction);
  });

/** Requires that the payment stays as it is, or that the assignment is on no pay run. */
const requireFree = async (id: number, paidOn: string | null, transaction: Transaction): Promise<void> => {
  const runId = (await paysheetOf(id, transaction))?.pay_run_id ?? null;
  if (runId === null) return;
  const { paid_on } = await transaction.kysely
    .selectFrom('assignments')
    .select('paid_on')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (paid_on !== paidOn) throw validationFailed([onPayRun(runId, 'paid_on')]);
};
