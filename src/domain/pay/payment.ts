import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { entryOf, recordHistory } from '../staffing/history.ts';

/** The statuses of pay runs and of paysheets. */
export const [OPEN, APPROVED, PAID] = [1, 2, 3];

/** The paysheet that pays for an assignment. */
export interface PaysheetOf {
  readonly id: number;
  readonly pay_run_id: number | null;
}

/**
 * Returns the paysheets that pay for assignments, which are locked, by assignment.
 * Those of corrections do not count.
 */
export const paysheetsOf = async (
  assignmentIds: readonly number[],
  { kysely }: Transaction,
): Promise<ReadonlyMap<number, PaysheetOf>> => {
  const sheets = await kysely
    .selectFrom('paysheets')
    .select(['id', 'pay_run_id', 'assignment_id'])
    .where('assignment_id', '=', oneOf(assignmentIds))
    .where('kind', '<>', 'correction')
    .execute();
  return new Map(sheets.map(sheet => [sheet.assignment_id, sheet]));
};

/** Returns the paysheet that pays for an assignment, which is locked; undefined if there is none. */
export const paysheetOf = async (assignmentId: number, transaction: Transaction): Promise<PaysheetOf | undefined> =>
  (await paysheetsOf([assignmentId], transaction)).get(assignmentId);

/** Returns the error of a change that can only be made to the pay run. */
export const onPayRun = (payRunId: number, field: string): FieldError =>
  fieldError('on_pay_run', field, `The assignment is on the pay run ${payRunId}.`);

/**
 * Sets when assignments, which are locked, and their paysheets were paid; null resets it.
 * Paysheets of corrections have a payment of their own.
 * Adds the payments to the history of the assignments.
 * @param paidOn an instant as formatted in responses
 */
export const recordPayment = async (
  assignmentIds: readonly number[],
  paidOn: string | null,
  apiUserId: number,
  transaction: Transaction,
): Promise<void> => {
  const { kysely } = transaction;
  const list = oneOf(assignmentIds);
  const changed = await kysely
    .updateTable('assignments')
    .set({ paid_on: paidOn, updated_at: now })
    .where('id', '=', list)
    .where('paid_on', 'is distinct from', paidOn)
    .returning(['id', 'status'])
    .execute();
  await kysely
    .updateTable('paysheets')
    .set({ status: paidOn === null ? APPROVED : PAID, paid_on: paidOn, updated_at: now })
    .where('assignment_id', '=', list)
    .where('kind', '<>', 'correction')
    .where('paid_on', 'is distinct from', paidOn)
    .execute();
  const entries = changed
    .toSorted((a, b) => a.id - b.id)
    .map(assignment => entryOf(assignment, 'payment', { paid_on: paidOn }));
  await recordHistory(entries, apiUserId, transaction);
};
