import { type FieldError, fieldError } from '../../core/errors.ts';
import { overlaps, type Span } from '../time/span.ts';

/** Time of an employee that an assigned or confirmed assignment takes. */
export interface Booking extends Span {
  readonly assignment_id: number;
  readonly event_id: number;
}

/** What the staffing rules know of an employee. */
export interface Worker {
  readonly id: number;
  readonly qualifications: readonly number[];
  /** Those known are changed as assignments come and go. */
  bookings: readonly Booking[];
  readonly absences: readonly Span[];
}

/** The bookings, other than the assignment's own, that take time of the span. */
export const conflictsOf = (worker: Worker, span: Span, assignmentId: number | null): readonly Booking[] =>
  worker.bookings.filter(booking => booking.assignment_id !== assignmentId && overlaps(booking, span));

export const isAbsent = (worker: Worker, span: Span): boolean =>
  worker.absences.some(absence => overlaps(absence, span));

export const missingQualifications = (worker: Worker, required: readonly number[]): readonly number[] =>
  required.filter(id => !worker.qualifications.includes(id));

/** Everything that keeps an employee from working in the span: what `force` may override. */
export const obstacles = (
  worker: Worker,
  span: Span,
  required: readonly number[],
  assignmentId: number | null,
  field: string,
): readonly FieldError[] => {
  const conflicts = conflictsOf(worker, span, assignmentId);
  const missing = missingQualifications(worker, required);
  return [
    ...(conflicts.length > 0
      ? [fieldError('double_booked', field, undefined, { conflicts: conflicts.map(shown) })]
      : []),
    ...(isAbsent(worker, span) ? [fieldError('absent', field)] : []),
    ...(missing.length > 0 ? [fieldError('not_qualified', field, undefined, { qualifications: missing })] : []),
  ];
};

const shown = ({ assignment_id, event_id, start, end }: Booking) => ({ assignment_id, event_id, start, end });
