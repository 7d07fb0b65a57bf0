import { type FieldError, fieldError } from '../../core/errors.ts';
import { overlaps, type Span } from '../time/span.ts';

/** The time for which an assigned or confirmed assignment books an employee. */
export interface Booking extends Span {
  readonly assignment_id: number;
  readonly event_id: number;
}

/** The data of an employee that the staffing rules depend on. */
export interface Worker {
  readonly id: number;
  readonly status: number;
  /** Whether the person has been forgotten. */
  readonly is_forgotten: boolean;
  readonly qualifications: readonly number[];
  /** Updated as assignments change. Null: not loaded. */
  bookings: readonly Booking[] | null;
  /** Null: not loaded. */
  absences: readonly Span[] | null;
}

/** Returns the bookings that overlap the span, except the assignment's own. */
const conflictsOf = (worker: Worker, span: Span, assignmentId: number | null): readonly Booking[] =>
  loaded(worker.bookings).filter(booking => booking.assignment_id !== assignmentId && overlaps(booking, span));

const isAbsent = (worker: Worker, span: Span): boolean =>
  loaded(worker.absences).some(absence => overlaps(absence, span));

const missingQualifications = (worker: Worker, required: readonly number[]): readonly number[] =>
  required.filter(id => !worker.qualifications.includes(id));

/** @throws Error if they have not been loaded */
const loaded = <T>(found: readonly T[] | null): readonly T[] => {
  if (!found) throw new Error('What stands against an employee is judged although it has not been loaded.');
  return found;
};

/**
 * Returns the errors that prevent an employee from working in the span; `force` overrides them.
 * See docs/decisions.md, "Bookings and places".
 */
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
