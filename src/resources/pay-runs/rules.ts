import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { now } from '../../db/now.ts';
import { collect } from '../../domain/pay/collect.ts';
import { recordPayment } from '../../domain/pay/payment.ts';
import { lockAssignments } from '../../domain/staffing/locks.ts';
import type { Values } from '../../engine/body.ts';
import type { RecordChange, Rules } from '../../engine/rules.ts';

const OPEN = 1;
const PAID = 3;

/** The statuses that each status can change to; a new pay run is open. */
const transitions: Readonly<Record<number, readonly number[]>> = { 1: [2], 2: [1, 3], 3: [2] };

/** A pay run collects assignments when created; its paysheets have its status. */
export const payRuns: Rules = {
  lock: async ({ id }, transaction) => {
    if (id !== null) await lockAssignments(await assignmentsOf(id, transaction), transaction);
  },
  check: async change => ({ errors: change.after ? statusErrors(change) : removalErrors(change) }),
  clear: async (id, { kysely }) => {
    await kysely.deleteFrom('paysheets').where('pay_run_id', '=', id).execute();
  },
  follow: async ({ before, after }, transaction, call) => {
    if (!after) return;
    const id = Number(after.id);
    if (!before) {
      const { period_start, period_end, wage_profile_id = null } = after;
      const wageProfileId = wage_profile_id === null ? null : Number(wage_profile_id);
      await collect({ id, from: String(period_start), to: String(period_end), wageProfileId }, transaction);
      return;
    }
    const paidOn = after.status === PAID ? String(after.paid_on) : null;
    if (after.status !== before.status) await storeStatus(id, Number(after.status), paidOn, transaction);
    if (paidOn !== (before.paid_on ?? null))
      await recordPayment(await assignmentsOf(id, transaction), paidOn, call.principal.apiUser.id, transaction);
  },
};

const statusErrors = ({ before, after }: RecordChange): readonly FieldError[] => {
  const { status, paid_on: paidOn = null } = after as Values;
  const from = before?.status;
  const allowed = before ? [Number(from), ...(transitions[Number(from)] ?? [])] : [OPEN];
  if (!allowed.includes(Number(status))) return [fieldError('invalid_transition', 'status')];
  if (status === PAID)
    return paidOn === null ? [fieldError('not_empty', 'paid_on', 'paid_on: required for a paid pay run.')] : [];
  // A pay run that is no longer paid may be sent with the payment that it had.
  return paidOn === null || paidOn === before?.paid_on
    ? []
    : [fieldError('invalid_transition', 'status', 'status: must be 3 if paid_on is set.')];
};

const removalErrors = ({ before }: RecordChange): readonly FieldError[] =>
  before?.status === OPEN ? [] : [fieldError('invalid_transition', 'status', 'Only an open pay run can be deleted.')];

const assignmentsOf = async (id: number, { kysely }: Transaction): Promise<readonly number[]> => {
  const rows = await kysely.selectFrom('paysheets').select('assignment_id').where('pay_run_id', '=', id).execute();
  return rows.map(({ assignment_id }) => assignment_id);
};

/** Stores the status of a pay run's paysheets, and the payment of both. */
const storeStatus = async (
  id: number,
  status: number,
  paidOn: string | null,
  { kysely }: Transaction,
): Promise<void> => {
  await kysely.updateTable('pay_runs').set({ paid_on: paidOn }).where('id', '=', id).execute();
  await kysely
    .updateTable('paysheets')
    .set({ status, paid_on: paidOn, updated_at: now })
    .where('pay_run_id', '=', id)
    .execute();
};
