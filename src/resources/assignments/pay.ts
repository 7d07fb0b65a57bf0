import { resources } from '../../../generated/resources.ts';
import { ApiError, fieldError, validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { onPayRun, paysheetOf, recordPayment } from '../../domain/pay/payment.ts';
import { lockSeats } from '../../domain/staffing/locked-staffing.ts';
import type { Action, ActionCall } from '../../engine/action.ts';
import { checkInstant } from '../../engine/value.ts';
import { endWithRecord } from '../../engine/verb.ts';

/** PUT /assignments/{id}/pay: sets the date on which approved work was paid; null resets it. */
export const pay: Action<'assignments_pay'> = (call, db) =>
  db.transaction(async transaction => {
    const { id, principal } = call;
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    const checked = await checkedDate(call, transaction);
    if ('errors' in checked) throw validationFailed(checked.errors);
    const paidOn = checked.value as string | null;
    if (paidOn !== null && !seat.is_approved) throw validationFailed([fieldError('not_approved', 'paid_on')]);
    await requireFree(id, paidOn, transaction);
    await recordPayment([id], paidOn, principal.apiUser.id, transaction);
    return endWithRecord(resources.assignments, id, call, transaction);
  });

/** Returns the date of the body, or its errors, unless it is what the record has. */
const checkedDate = async ({ id, body, principal }: ActionCall<'assignments_pay'>, transaction: Transaction) => {
  const { paid_on } = body;
  if (paid_on === null) return { value: null };
  const check = (stored?: string | null) =>
    checkInstant({ name: 'paid_on' }, paid_on, principal.tenant.timeZone, stored);
  const checked = check();
  return 'errors' in checked ? check(await storedDate(id, transaction)) : checked;
};

const storedDate = async (id: number, { kysely }: Transaction): Promise<string | null> => {
  const query = kysely.selectFrom('assignments').select('paid_on').where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).paid_on;
};

/** Requires that the payment stays as it is, or that the assignment is on no pay run. */
const requireFree = async (id: number, paidOn: string | null, transaction: Transaction): Promise<void> => {
  const runId = (await paysheetOf(id, transaction))?.pay_run_id ?? null;
  if (runId === null) return;
  if ((await storedDate(id, transaction)) !== paidOn) throw validationFailed([onPayRun(runId, 'paid_on')]);
};
