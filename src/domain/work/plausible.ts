import { type FieldError, fieldError } from '../../core/errors.ts';
import { daysLater } from '../../core/time.ts';
import type { Values } from '../../engine/body.ts';
import type { Verdict } from '../staffing/checks.ts';
import { isBooked } from '../staffing/transition.ts';
import type { Span } from '../time/span.ts';

/** How far the times of work may be from the effective times of its assignment, in days. */
const DAYS = 7;

/** The data of an assignment that plausibility depends on; start and end are its effective times. */
interface PlausibleSpan extends Span {
  readonly status: number | null;
}

/** Returns the error of work or pay for an assignment that is neither assigned nor confirmed. */
export const bookedErrors = ({ status }: PlausibleSpan, field: string): readonly FieldError[] =>
  isBooked(status)
    ? []
    : [fieldError('invalid_transition', field, `${field}: the assignment is neither assigned nor confirmed.`)];

/**
 * Checks that work belongs to a booked assignment and is near its effective times.
 * `force` overrides the latter. See docs/decisions.md, "Check-ins and work".
 */
export const judgePlausibility = (
  assignment: PlausibleSpan,
  field: string,
  times: { readonly start: string; readonly end: string },
  force: boolean,
): Pick<Verdict, 'errors' | 'overridden'> => {
  const booked = bookedErrors(assignment, field);
  const near = distanceErrors(assignment, times);
  return force
    ? { errors: booked, overridden: [...new Set(near.map(({ code }) => code))] }
    : { errors: [...booked, ...near], overridden: [] };
};

/** Returns whether the record of work is new or its times change. */
export const isTimed = (before: Values | null, after: Values): boolean =>
  before === null || before.start !== after.start || before.end !== after.end;

/** Returns the errors of work that starts or ends more than seven days from its assignment. */
export const distanceErrors = (
  assignment: Span,
  times: { readonly start: string; readonly end: string },
): readonly FieldError[] => {
  const [first, last] = reachOf(assignment);
  return (['start', 'end'] as const)
    .filter(name => (first !== null && times[name] < first) || (last !== null && times[name] > last))
    .map(name =>
      fieldError('out_of_range', name, `${name} must be within ${DAYS} days of the assignment's start and end.`),
    );
};

/**
 * Returns the errors of an assignment's times that leave work more than seven days behind.
 * @param work from the first start to the last end; null: there is none
 * @param field the field that they are reported on; default: `start` for work before, `end` for work after
 */
export const leftErrors = (assignment: Span, work: Span, field?: string): readonly FieldError[] => {
  const [first, last] = reachOf(assignment);
  const left = (name: string, side: string): FieldError => {
    const place = field ?? name;
    return fieldError('out_of_range', place, `${place}: unapproved work would be more than ${DAYS} days ${side}.`);
  };
  return [
    ...(first !== null && work.start !== null && work.start < first ? [left('start', 'before')] : []),
    ...(last !== null && work.end !== null && work.end > last ? [left('end', 'after')] : []),
  ];
};

/** Returns the first and the last instant at which the work of an assignment may be. */
const reachOf = ({ start, end }: Span) => [start && daysLater(start, -DAYS), end && daysLater(end, DAYS)] as const;
