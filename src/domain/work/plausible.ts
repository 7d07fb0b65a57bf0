import { Temporal } from 'temporal-polyfill';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Values } from '../../engine/body.ts';
import { isBooked, type Verdict } from '../staffing/transition.ts';
import type { Span } from '../time/span.ts';

/** How far the times of work may be from the effective times of its assignment, in days. */
const DAYS = 7;

/** The data of an assignment that plausibility depends on; start and end are its effective times. */
interface Target extends Span {
  readonly status: number | null;
}

/** Returns the error of work or pay for an assignment that is neither assigned nor confirmed. */
export const bookedErrors = ({ status }: Target, field: string): readonly FieldError[] =>
  isBooked(status)
    ? []
    : [fieldError('invalid_transition', field, `${field}: the assignment is neither assigned nor confirmed.`)];

/** Checks that work belongs to a booked assignment and is near its effective times; `force` overrides the latter. */
export const judgeWork = (
  assignment: Target,
  field: string,
  times: { readonly start: string; readonly end: string },
  force: boolean,
): Verdict => {
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
  { start, end }: Span,
  times: { readonly start: string; readonly end: string },
): readonly FieldError[] => {
  const [first, last] = [shifted(start, -DAYS), shifted(end, DAYS)];
  return (['start', 'end'] as const)
    .filter(name => (first !== null && times[name] < first) || (last !== null && times[name] > last))
    .map(name =>
      fieldError('out_of_range', name, `${name} must be within ${DAYS} days of the assignment's start and end.`),
    );
};

const shifted = (instant: string | null, days: number): string | null =>
  instant &&
  Temporal.Instant.from(instant)
    .add({ hours: 24 * days })
    .toString();
