import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { ACCEPTED } from '../work/decide.ts';
import { approvedBeside, overlapsWith, type WorkInReview } from '../work/overlap.ts';
import type { WorkedTimes } from '../work/worked.ts';
import { hasUnpaidWork } from './derive.ts';
import { termsOf } from './holidays.ts';
import { isWithin, largestAmount, sumOf } from './money.ts';
import { currencyErrors, type PayableWage, payableWages, validityDoubts } from './payable.ts';
import type { Profile } from './profile.ts';
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

/** An assignment to approve, which is locked with its employee. */
export interface ApprovalRequest {
  readonly assignmentId: number;
  readonly employeeId: number;
  /** What stands against it apart from work and pay. */
  readonly errors: readonly FieldError[];
}

/** How assignments are approved. */
export interface ApprovalTerms {
  /** The field that errors are reported on. */
  readonly field: string;
  /** Whether work without pay, no work at all, and wages that no longer fit the work are approved. */
  readonly force: boolean;
}

type Work = WorkInReview & WorkedTimes;

/** The pay of an assignment that is being approved. */
interface PayInReview {
  readonly works: readonly Work[];
  readonly profile: Profile | undefined;
  readonly wages: readonly PayableWage[];
}

/** The pay of an assignment whose approval is withdrawn. */
export const noPay: ApprovedPay = { pay_amount: null, approved_wage_profile_id: null };

/**
 * Approves the work of assignments and returns their pay.
 * They are judged in the order given, each with the work of those before. The number of statements does not depend on the
 * number of assignments. See docs/decisions.md, "Wages and approval".
 */
export const approveWork = async (
  requests: readonly ApprovalRequest[],
  terms: ApprovalTerms,
  transaction: Transaction,
): Promise<ReadonlyMap<number, Approval>> => {
  const { kysely, tenant } = transaction;
  const ids = requests.map(({ assignmentId }) => assignmentId);
  const works = await kysely
    .selectFrom('work_times')
    .select(['id', 'event_function_employee_id as assignment_id', 'start', 'end', 'break_start', 'break_end'])
    .where('event_function_employee_id', '=', oneOf(ids))
    .orderBy('id')
    .execute();
  const worksOf = Map.groupBy(works, work => work.assignment_id);
  const reviewed = requests.map(request => ({ ...request, works: worksOf.get(request.assignmentId) ?? [] }));
  const approved = await approvedBeside(reviewed, transaction);
  const profiles = await termsOf(ids, transaction);
  await settle(ids, transaction);
  const wagesOf = tenant.modules.has('payroll') ? await payableWages(ids, transaction) : new Map();
  await kysely
    .updateTable('work_times')
    .set({ is_approved: true, approved_on: now, updated_at: now })
    .where('event_function_employee_id', '=', oneOf(ids))
    .where('is_approved', '=', false)
    .execute();
  const taken = new Map([...approved].map(([id, own]) => [id, new Map(own.map(work => [work.id, work]))]));
  const approvals = reviewed.map(({ assignmentId, employeeId, errors, works }) => {
    const others = taken.get(employeeId) ?? new Map<number | null, WorkInReview>();
    const pay = { works, profile: profiles.get(assignmentId), wages: wagesOf.get(assignmentId) ?? [] };
    const approval = judge(pay, [...others.values()], errors, terms, transaction);
    if (approval.errors.length === 0)
      for (const { id, assignment_id, start, end } of works) others.set(id, { id, assignment_id, start, end });
    taken.set(employeeId, others);
    return [assignmentId, approval] as const;
  });
  return new Map(approvals);
};

/** @param others work that is approved, or judged before it */
const judge = (
  { works, profile, wages }: PayInReview,
  others: readonly WorkInReview[],
  before: readonly FieldError[],
  { field, force }: ApprovalTerms,
  { tenant }: Transaction,
): Approval => {
  const isPaid = tenant.modules.has('payroll');
  const errors = [...overlapsWith(others, works, field)];
  if (isPaid && works.length > 0 && !profile) errors.push(fieldError('wage_profile_missing', field));
  errors.push(...currencyErrors(wages, profile?.currency ?? null, field));
  const doubts: FieldError[] = [];
  if (works.length + wages.length === 0) doubts.push(fieldError('nothing_to_approve', field));
  if (isPaid && profile && hasUnpaidWork(works, profile, tenant.timeZone))
    doubts.push(fieldError('wage_type_missing', field));
  doubts.push(...validityDoubts(wages, field));
  if (!force) errors.push(...doubts);
  const pay_amount = isPaid ? sumOf(wages.map(({ amount }) => amount)) : null;
  if (pay_amount !== null && !isWithin(pay_amount, 0, largestAmount))
    errors.push(fieldError('out_of_range', 'pay_amount', 'The pay is out of range.'));
  return {
    pay_amount,
    approved_wage_profile_id: isPaid ? (profile?.id ?? null) : null,
    errors: errors.length > 0 ? errors : before,
    overridden: doubts.map(({ code }) => code),
  };
};

/** Withdraws approvals; work as in an accepted proposal stays approved, whatever its source. */
export const withdrawWork = async (assignmentIds: readonly number[], { kysely }: Transaction): Promise<void> => {
  await kysely
    .updateTable('work_times as t')
    .set({ is_approved: false, approved_on: null, updated_at: now })
    .where('t.event_function_employee_id', '=', oneOf(assignmentIds))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('work_time_proposals as p')
            .select('p.id')
            .whereRef('p.assignment_id', '=', 't.event_function_employee_id')
            .where('p.status', '=', ACCEPTED)
            .whereRef('p.start', '=', 't.start')
            .whereRef('p.end', '=', 't.end'),
        ),
      ),
    )
    .execute();
};
