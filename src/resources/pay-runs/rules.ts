import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { now } from '../../db/now.ts';
import { collect, type PayRunScope } from '../../domain/pay/collect.ts';
import { correctedOn, releaseSheets } from '../../domain/pay/correction.ts';
import { OPEN, PAID, recordPayment } from '../../domain/pay/payment.ts';
import { lockAssignments } from '../../domain/staffing/locks.ts';
import type { Values } from '../../engine/body.ts';
import type { RecordChange, Rules } from '../../engine/rules.ts';

/** The statuses that each status can change to; a new pay run is open. */
const transitions: Readonly<Record<number, readonly number[]>> = { 1: [2], 2: [1, 3], 3: [2] };

/** What a pay run collects by default. */
const collected = ['regular', 'corrections'];

/** A pay run collects assignments when created; its paysheets have its status. */
export const payRuns: Rules = {
  lock: async ({ id }, transaction) => {
    if (id !== null) await lockAssignments(await assignmentsOf(id, transaction), transaction);
  },
  check: async (change, transaction) => {
    if (!change.after) return { errors: removalErrors(change) };
    const errors = [...statusErrors(change), ...includeErrors(change.after)];
    return { errors: errors.length > 0 ? errors : await reopeningErrors(change, transaction) };
  },
  clear: (id, transaction) => releaseSheets({ field: 'pay_run_id', id }, transaction),
  follow: async ({ before, after }, transaction, call) => {
    if (!after) return;
    const id = Number(after.id);
    if (!before) {
      const { period_start, period_end, wage_profile_id = null, include = collected } = after;
      const wageProfileId = wage_profile_id === null ? null : Number(wage_profile_id);
      const period = { from: String(period_start), to: String(period_end) };
      await collect({ id, ...period, wageProfileId, include: include as PayRunScope['include'] }, transaction);
      return;
    }
    const paidOn = after.status === PAID ? String(after.paid_on) : null;
    const isPaid = paidOn !== (before.paid_on ?? null);
    if (after.status !== before.status || isPaid) await storeStatus(id, Number(after.status), paidOn, transaction);
    if (isPaid)
      await recordPayment(await assignmentsOf(id, transaction, true), paidOn, call.principal.apiUser.id, transaction);
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

const includeErrors = ({ include }: Values): readonly FieldError[] =>
  Array.isArray(include) && include.length === 0 ? [fieldError('not_empty', 'include')] : [];

/** Returns the error of opening a run again that is corrected, or that a payroll program has taken. */
const reopeningErrors = async (
  { before, after }: RecordChange,
  transaction: Transaction,
): Promise<readonly FieldError[]> => {
  if (before?.status === OPEN || after?.status !== OPEN || !before) return [];
  const id = Number(before.id);
  const corrected = await correctedOn(id, transaction);
  if (corrected !== undefined)
    return [fieldError('invalid_transition', 'status', `The assignment ${corrected} on it has a correction.`)];
  const acknowledged = await acknowledgedExportOf(id, transaction);
  if (acknowledged === undefined) return [];
  return [fieldError('invalid_transition', 'status', `The export ${acknowledged} of it is acknowledged.`)];
};

/** Returns an export of a locked pay run that a payroll program has taken. */
const acknowledgedExportOf = async (payRunId: number, { kysely }: Transaction): Promise<number | undefined> => {
  const row = await kysely
    .selectFrom('payroll_exports')
    .select('id')
    .where('pay_run_id', '=', payRunId)
    .where('acknowledged_on', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
};

const removalErrors = ({ before }: RecordChange): readonly FieldError[] =>
  before?.status === OPEN ? [] : [fieldError('invalid_transition', 'status', 'Only an open pay run can be deleted.')];

/** @param paidWith only those whose payment is that of the run: not of sheets of corrections */
const assignmentsOf = async (id: number, { kysely }: Transaction, paidWith = false): Promise<readonly number[]> => {
  const rows = await kysely
    .selectFrom('paysheets')
    .select('assignment_id')
    .where('pay_run_id', '=', id)
    .$if(paidWith, query => query.where('kind', '<>', 'correction'))
    .execute();
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
