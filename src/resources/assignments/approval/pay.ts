import { resources } from '../../../../generated/resources.ts';
import { ApiError, invalidField, validationFailed } from '../../../core/errors.ts';
import type { Transaction } from '../../../db/database.ts';
import { isCorrected } from '../../../domain/pay/correction.ts';
import { onPayRun, paysheetOf, recordPayment } from '../../../domain/pay/payment.ts';
import { lockSeats } from '../../../domain/staffing/locked-staffing.ts';
import { frozen, type Seat } from '../../../domain/staffing/transition.ts';
import type { Action, ActionCall } from '../../../engine/action.ts';
import { checkInstant } from '../../../engine/value.ts';
import { endWithRecord } from '../../../engine/verb.ts';

/** PUT /assignments/{id}/pay: sets the date on which approved work was paid; null resets it. */
export const pay: Action<'assignments_pay'> = (call, db) =>
  db.transaction(async transaction => {
    const { id, principal } = call;
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    const checked = await checkedDate(call, transaction);
    if ('errors' in checked) throw validationFailed(checked.errors);
    const paidOn = checked.value as string | null;
    if (paidOn !== null && !seat.is_approved && seat.correction === null) throw invalidField('not_approved', 'paid_on');
    await requireFree(seat, paidOn, transaction);
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

/** Requires that the payment stays as it is, or that no pay run and no correction depends on it. */
const requireFree = async (seat: Seat, paidOn: string | null, transaction: Transaction): Promise<void> => {
  const id = Number(seat.id);
  const runId = (await paysheetOf(id, transaction))?.pay_run_id ?? null;
  const isFixed = runId !== null || (await isCorrected(id, transaction));
  if (!isFixed || (await storedDate(id, transaction)) === paidOn) return;
  if (seat.correction !== null) throw validationFailed(frozen(seat, 'paid_on'));
  if (runId !== null) throw validationFailed([onPayRun(runId, 'paid_on')]);
  throw invalidField('read_only', 'paid_on', 'A correction of the assignment depends on its payment.');
};
