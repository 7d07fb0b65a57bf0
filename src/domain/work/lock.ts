import type { Json } from '../../core/call/reply.ts';
import type { FieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import type { Rules } from '../../engine/rules.ts';
import { lockWorked } from '../staffing/locks.ts';
import { type Fixed, frozen } from '../staffing/transition.ts';
import type { StampTable } from './stamps.ts';

/** The data of an assignment that work and pay depend on; start and end are its effective times. */
export type WorkedAssignment = Awaited<ReturnType<typeof lockedAssignment>>;

/** Locks the assignments and their employees, in the order of `staffingLocks`; sent with the next trip. */
export const lockWork = (assignmentIds: readonly Json[], transaction: Transaction): void =>
  lockWorked(assignmentIds.filter(Number.isSafeInteger) as number[], transaction);

/** The tables of records that belong to an assignment. */
type RecordTable =
  | StampTable
  | 'work_time_proposals'
  | 'wage_proposals'
  | 'assignment_wages'
  | 'assignment_employment_reports'
  | 'assignment_billings'
  | 'paysheets';

/** Returns the `lock` rule for an assignment's records: employee and assignment come first. */
export const lockAround =
  (table: RecordTable): NonNullable<Rules['lock']> =>
  async ({ id, body }, transaction) => {
    if (id === null) return lockWork([body.assignment_id ?? null], transaction);
    const query = transaction.kysely.selectFrom(table).select('assignment_id').where('id', '=', id);
    lockWork([(await query.executeTakeFirst())?.assignment_id ?? null], transaction);
  };

/** Returns the assignment of a record that is being written; `lockAround` has locked it. */
export const lockedAssignment = async (id: Json, { kysely }: Transaction) => {
  const { paid_on, ...assignment } = await kysely
    .selectFrom('assignments')
    .select(['id', 'employee_id', 'event_function_id', 'status', 'is_approved', 'paid_on', 'correction'])
    .select(['effective_start as start', 'effective_end as end'])
    .where('id', '=', Number(id))
    .executeTakeFirstOrThrow();
  return { ...assignment, is_paid: paid_on !== null };
};

/**
 * Returns the error that prevents changes of an assignment's work and pay: approval or payment.
 * An open correction allows them.
 */
export const freeze = (assignment: Fixed, field: string): readonly FieldError[] =>
  assignment.correction === null ? frozen(assignment, field) : [];
