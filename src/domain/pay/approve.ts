import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { now } from '../../db/now.ts';
import { ACCEPTED } from '../work/decide.ts';
import { overlapErrors } from '../work/overlap.ts';
import { hasUnpaidWork } from './derive.ts';
import { termsOf } from './holidays.ts';
import { isWithin, sumOf } from './money.ts';
import { currencyErrors, payableWages, validityDoubts } from './payable.ts';
import { settle } from './settle.ts';

/** The values that an approval stores in an assignment. */
export interface ApprovedPay {
  /** The sum of the enabled wages; null if no wages are derived. */
  readonly pay_amount: string | null;
  readonly approved_wage_profile_id: number | null;
}

/** What an approval found and stored; with errors, roll back. */
export interface Approval extends ApprovedPay {
  readonly errors: readonly FieldError[];
  /** Codes of the errors that `force` has overridden. */
  readonly overridden: readonly string[];
}

/** The assignment to approve, which is locked with its employee, and how. */
export interface ApprovalRequest {
  readonly assignmentId: number;
  readonly employeeId: number;
  /** The field that errors are reported on. */
  readonly field: string;
  /** Whether work without pay, no work at all, and wages that no longer fit the work are approved. */
  readonly force: boolean;
}

/**
 * Approves the work of an assignment and returns its pay.
 * See docs/decisions.md, "Wages and approval".
 */
export const approveWork = async (
  { assignmentId, employeeId, field, force }: ApprovalRequest,
  transaction: Transaction,
): Promise<Approval> => {
  const { kysely, tenant } = transaction;
  const works = await kysely
    .selectFrom('work_times')
    .select(['id', 'event_function_employee_id as assignment_id', 'start', 'end', 'break_start', 'break_end'])
    .where('event_function_employee_id', '=', assignmentId)
    .orderBy('id')
    .execute();
  const errors = [...(await overlapErrors(employeeId, works, field, transaction))];
  const isPaid = tenant.modules.has('payroll');
  const profile = (await termsOf([assignmentId], transaction)).get(assignmentId);
  if (isPaid && works.length > 0 && !profile) errors.push(fieldError('wage_profile_missing', field));
  await settle([assignmentId], transaction);
  const wages = isPaid ? await payableWages(assignmentId, transaction) : [];
  errors.push(...currencyErrors(wages, profile?.currency ?? null, field));
  const doubts: FieldError[] = [];
  if (works.length + wages.length === 0) doubts.push(fieldError('nothing_to_approve', field));
  if (isPaid && profile && hasUnpaidWork(works, profile, tenant.timeZone))
    doubts.push(fieldError('wage_type_missing', field));
  doubts.push(...validityDoubts(wages, field));
  if (!force) errors.push(...doubts);
  const pay_amount = isPaid ? sumOf(wages.map(({ amount }) => amount)) : null;
  if (pay_amount !== null && !isWithin(pay_amount, 0, 9_999_999_999))
    errors.push(fieldError('out_of_range', 'pay_amount', 'The pay is out of range.'));
  await kysely
    .updateTable('work_times')
    .set({ is_approved: true, approved_on: now, updated_at: now })
    .where('event_function_employee_id', '=', assignmentId)
    .where('is_approved', '=', false)
    .execute();
  return {
    pay_amount,
    approved_wage_profile_id: isPaid ? (profile?.id ?? null) : null,
    errors,
    overridden: doubts.map(({ code }) => code),
  };
};

/** Withdraws an approval; work as in an accepted proposal stays approved, whatever its source. */
export const withdrawWork = async (assignmentId: number, { kysely }: Transaction): Promise<ApprovedPay> => {
  await kysely
    .updateTable('work_times as t')
    .set({ is_approved: false, approved_on: null, updated_at: now })
    .where('t.event_function_employee_id', '=', assignmentId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('work_time_proposals as p')
            .select('p.id')
            .where('p.assignment_id', '=', assignmentId)
            .where('p.status', '=', ACCEPTED)
            .whereRef('p.start', '=', 't.start')
            .whereRef('p.end', '=', 't.end'),
        ),
      ),
    )
    .execute();
  return { pay_amount: null, approved_wage_profile_id: null };
};
