import { sql } from 'kysely';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { hull, overlaps } from '../time/span.ts';

/** Work that is approved or being approved; `id` null: not stored as a work time yet. */
export interface WorkInReview {
  readonly id: number | null;
  readonly assignment_id: number;
  readonly start: string;
  readonly end: string;
}

/** The work of one employee. */
export interface EmployeeWorks {
  readonly employeeId: number;
  readonly works: readonly WorkInReview[];
}

/**
 * Returns the error that prevents approving an employee's work.
 * Overlaps with approved work or among `works`. The employee's row is locked. See docs/decisions.md, "Check-ins
 * and work".
 */
export const overlapErrors = async (
  employeeId: number,
  works: readonly WorkInReview[],
  field: string,
  transaction: Transaction,
): Promise<readonly FieldError[]> => {
  const approved = await approvedBeside([{ employeeId, works }], transaction);
  return overlapsWith(approved.get(employeeId) ?? [], works, field);
};

/**
 * Returns the approved work of employees, whose rows are locked, by employee.
 * It is all of theirs between the first start and the last end of `works`, whether or not it overlaps these.
 */
export const approvedBeside = async (
  employees: readonly EmployeeWorks[],
  { kysely }: Transaction,
): Promise<ReadonlyMap<number, readonly WorkInReview[]>> => {
  const works = employees.flatMap(employee => employee.works);
  if (works.length === 0) return new Map();
  const { start, end } = hull(works);
  // An array: Postgres finds their work by it, whatever it expects of the times.
  const assigned = kysely
    .selectFrom('assignments')
    .select('id')
    .where('employee_id', '=', oneOf(employees.map(({ employeeId }) => employeeId)));
  const rows = await kysely
    .selectFrom('work_times as w')
    .innerJoin('assignments as a', 'a.id', 'w.event_function_employee_id')
    .select(['w.id', 'a.id as assignment_id', 'w.start', 'w.end', 'a.employee_id'])
    .where('w.event_function_employee_id', '=', sql<number>`any(array(${assigned}))`)
    .where('w.is_approved', '=', true)
    .where('w.start', '<', end ?? 'infinity')
    .where('w.end', '>', start ?? '-infinity')
    .orderBy('w.id')
    .execute();
  const byEmployee = Map.groupBy(rows, ({ employee_id }) => employee_id);
  return new Map(
    [...byEmployee].map(([id, own]) => [id, own.map(({ employee_id: _, ...work }): WorkInReview => work)] as const),
  );
};

/** Returns the error of work that overlaps other work that is approved, or other work among it. */
export const overlapsWith = (
  approved: readonly WorkInReview[],
  works: readonly WorkInReview[],
  field: string,
): readonly FieldError[] => {
  const others = approved.filter(({ id }) => works.every(work => work.id !== id));
  const found = works.flatMap((work, index) =>
    [...others, ...works.slice(0, index)].filter(other => overlaps(work, other)),
  );
  if (found.length === 0) return [];
  const conflicts = [...new Set(found)].map(({ id, ...other }) => ({ work_time_id: id, ...other }));
  return [fieldError('overlapping_work_time', field, undefined, { conflicts })];
};
