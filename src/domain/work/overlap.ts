import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { overlaps } from '../time/span.ts';

/** Work that is approved or being approved; `id` null: not stored as a work time yet. */
export interface WorkInReview {
  readonly id: number | null;
  readonly assignment_id: number;
  readonly start: string;
  readonly end: string;
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
  { kysely }: Transaction,
): Promise<readonly FieldError[]> => {
  if (works.length === 0) return [];
  const starts = works.map(({ start }) => start).sort();
  const ends = works.map(({ end }) => end).sort();
  const approved = await kysely
    .selectFrom('work_times as w')
    .innerJoin('assignments as a', 'a.id', 'w.event_function_employee_id')
    .select(['w.id', 'a.id as assignment_id', 'w.start', 'w.end'])
    .where('a.employee_id', '=', employeeId)
    .where('w.is_approved', '=', true)
    .where('w.start', '<', ends.at(-1) as string)
    .where('w.end', '>', starts[0] as string)
    .orderBy('w.id')
    .execute();
  const others: WorkInReview[] = approved.filter(({ id }) => works.every(work => work.id !== id));
  const found = works.flatMap((work, index) =>
    [...others, ...works.slice(0, index)].filter(other => overlaps(work, other)),
  );
  if (found.length === 0) return [];
  const conflicts = [...new Set(found)].map(({ id, ...other }) => ({ work_time_id: id, ...other }));
  return [fieldError('overlapping_work_time', field, undefined, { conflicts })];
};
