import type { Json } from '../../core/call/reply.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { EmployeeWork } from '../rules/employee-work.ts';
import { type Breach, breachesCaused } from '../rules/judge.ts';
import type { WorkPiece } from '../rules/piece.ts';
import { type ShownBreach, shownBreach } from '../rules/shown.ts';
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
  readonly birthday: string | null;
  readonly wage_profile_id: number | null;
  /** Updated as assignments change. Null: not loaded. */
  bookings: readonly Booking[] | null;
  /** Null: not loaded. */
  absences: readonly Span[] | null;
  /** Null: not loaded, or no working-time rules apply. */
  work: EmployeeWork | null;
}

/** What stands against a write of staffing. */
export interface Obstacles {
  /** What `force` overrides. */
  readonly errors: readonly FieldError[];
  /** What the API user may not override. */
  readonly fixed: readonly FieldError[];
  /** The breaches of working-time rules that only warn. */
  readonly warned: readonly ShownBreach[];
}

/** Nothing stands against the write. */
export const none: Obstacles = { errors: [], fixed: [], warned: [] };

/** Returns the bookings that overlap the span, except the assignment's own. */
export const bookingsDuring = <Booked extends Booking>(
  bookings: readonly Booked[],
  span: Span,
  assignmentId: number | null,
): readonly Booked[] => bookings.filter(booking => booking.assignment_id !== assignmentId && overlaps(booking, span));

/** Returns the absences that overlap the span. */
export const absencesDuring = <Absence extends Span>(absences: readonly Absence[], span: Span): readonly Absence[] =>
  absences.filter(absence => overlaps(absence, span));

/** Returns the required qualifications that an employee lacks. */
export const missingQualifications = (
  { qualifications }: Pick<Worker, 'qualifications'>,
  required: readonly number[],
): readonly number[] => required.filter(id => !qualifications.includes(id));

/** @throws Error if they have not been loaded */
const loaded = <T>(found: readonly T[] | null): readonly T[] => {
  if (!found) throw new Error('What stands against an employee is judged although it has not been loaded.');
  return found;
};

/**
 * Returns the errors that prevent an employee from working in the span; `force` overrides them.
 * See docs/decisions.md, "Bookings and places". Working-time rules are judged apart: see `judgeRules`.
 */
export const obstacles = (
  worker: Worker,
  span: Span,
  required: readonly number[],
  assignmentId: number | null,
  field: string,
): readonly FieldError[] => {
  const conflicts = bookingsDuring(loaded(worker.bookings), span, assignmentId);
  const missing = missingQualifications(worker, required);
  return [
    ...(conflicts.length > 0
      ? [fieldError('double_booked', field, undefined, { conflicts: conflicts.map(shown) })]
      : []),
    ...(absencesDuring(loaded(worker.absences), span).length > 0 ? [fieldError('absent', field)] : []),
    ...(missing.length > 0 ? [fieldError('not_qualified', field, undefined, { qualifications: missing })] : []),
  ];
};

const shown = ({ assignment_id, event_id, start, end }: Booking) => ({ assignment_id, event_id, start, end });

/**
 * Returns the breaches of working-time rules that a write causes in the work of one employee.
 * See docs/decisions.md, "Working-time rules".
 * @param change returns the work before and after it; both include what the write does not touch
 */
export const breachesOf = (
  { work }: Worker,
  change: (work: EmployeeWork) => { readonly before: readonly WorkPiece[]; readonly after: readonly WorkPiece[] },
): readonly Breach[] => {
  if (!work) return [];
  const { rulebook, person } = work;
  const { before, after } = change(work);
  return breachesCaused(person, before, after, rulebook.rules);
};

/** Returns what breaches of working-time rules mean for the write that causes them. */
export const judgedBreaches = ({ work }: Worker, breaches: readonly Breach[], field: string): Obstacles => {
  const refused = breaches
    .filter(({ severity }) => severity === 'error')
    .map(breach => fieldError('work_rule', field, undefined, { ...shownBreach(breach) }));
  const isForceable = work?.rulebook.isForceable ?? true;
  return {
    errors: isForceable ? refused : [],
    fixed: isForceable ? [] : refused,
    warned: breaches.filter(({ severity }) => severity === 'warning').map(shownBreach),
  };
};

/** Returns all that stands against something. */
export const together = (...parts: readonly Obstacles[]): Obstacles => ({
  errors: parts.flatMap(({ errors }) => errors),
  fixed: parts.flatMap(({ fixed }) => fixed),
  warned: parts.flatMap(({ warned }) => warned),
});

/** What the checks of a write say. */
export interface Verdict {
  readonly errors: readonly FieldError[];
  /** Codes of the errors that `force` has overridden. */
  readonly overridden: readonly string[];
  /** The breaches of working-time rules that `force` has overridden, and those that only warn. */
  readonly rules: readonly ShownBreach[];
  readonly warned: readonly ShownBreach[];
}

/** Returns the verdict on a write that nothing can be overridden of. */
export const refusal = (errors: readonly FieldError[]): Verdict => ({ errors, overridden: [], rules: [], warned: [] });

/** Returns the verdict on a write against which something stands. */
export const verdictOn = ({ errors, fixed, warned }: Obstacles, force: boolean): Verdict => {
  if (!force) return { ...refusal([...errors, ...fixed]), warned };
  return {
    errors: fixed,
    overridden: [...new Set(errors.map(({ code }) => code))],
    rules: errors.flatMap(error => (error.code === 'work_rule' ? [withoutError(error)] : [])),
    warned,
  };
};

/** Returns the breach that an error reports. */
const withoutError = ({ code, field, message, ...breach }: FieldError): ShownBreach => breach as unknown as ShownBreach;

/** Returns the data of a history entry with the breaches of working-time rules as they were. */
export const withBreaches = (data: Json, { rules, warned }: Pick<Verdict, 'rules' | 'warned'>): Json => {
  if (rules.length + warned.length === 0) return data;
  const breaches = { ...(rules.length > 0 && { rules }), ...(warned.length > 0 && { warned }) };
  return { ...(data as object), ...breaches } as Json;
};
