import { sql } from 'kysely';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { overlapErrors } from '../work/overlap.ts';
import { isWithin, sumOf } from './money.ts';
import { profilesOf } from './profile.ts';
import { settle } from './settle.ts';

/** The values that an approval stores in an assignment. */
export interface Pay {
  /** The sum of the enabled wages, rounded to cents; null if no wages are derived. */
  readonly pay_amount: string | null;
  readonly wage_profile_id: number | null;
}

const FROM_PROPOSAL = 2;
const now = sql<string>`date_trunc('second', now())`;

/**
 * Approves the work of an assignment, which is locked with its employee, and returns its pay; with errors, roll back.
 */
export const approveWork = async (
  assignmentId: number,
  employeeId: number,
  field: string,
  transaction: Transaction,
): Promise<Pay & { readonly errors: readonly FieldError[] }> => {
  const { kysely, tenant } = transaction;
  const works = await kysely
    .selectFrom('work_times')
    .select(['id', 'event_function_employee_id as assignment_id', 'start', 'end'])
    .where('event_function_employee_id', '=', assignmentId)
    .orderBy('id')
    .execute();
  const errors = [...(await overlapErrors(employeeId, works, field, transaction))];
  const isPaid = tenant.modules.has('payroll');
  const profile = (await profilesOf([assignmentId], transaction)).get(assignmentId);
  if (isPaid && works.length > 0 && !profile) errors.push(fieldError('wage_profile_missing', field));
  const none = { pay_amount: null, wage_profile_id: null };
  if (errors.length > 0) return { ...none, errors };
  await kysely
    .updateTable('work_times')
    .set({ is_approved: true, approved_on: now, updated_at: now })
    .where('event_function_employee_id', '=', assignmentId)
    .where('is_approved', '=', false)
    .execute();
  if (!isPaid) return { ...none, errors };
  await settle([assignmentId], transaction);
  const pay_amount = await payOf(assignmentId, transaction);
  if (!isWithin(pay_amount, 0, 9_999_999_999))
    errors.push(fieldError('out_of_range', 'pay_amount', 'The pay is out of range.'));
  return { pay_amount, wage_profile_id: profile?.id ?? null, errors };
};

/** Withdraws an approval; work from accepted proposals stays approved. */
export const withdrawWork = async (assignmentId: number, { kysely }: Transaction): Promise<Pay> => {
  await kysely
    .updateTable('work_times')
    .set({ is_approved: false, approved_on: null, updated_at: now })
    .where('event_function_employee_id', '=', assignmentId)
    .where('source', '<>', FROM_PROPOSAL)
    .execute();
  return { pay_amount: null, wage_profile_id: null };
};

const payOf = async (assignmentId: number, { kysely }: Transaction): Promise<string> => {
  const wages = await kysely
    .selectFrom('assignment_wages')
    .select('payable_amount')
    .where('assignment_id', '=', assignmentId)
    .where('is_disabled', '=', false)
    .execute();
  return sumOf(wages.map(({ payable_amount }) => payable_amount ?? '0'));
};
