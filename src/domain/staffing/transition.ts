import type { components } from '../../../generated/api.ts';
import { statusMap } from '../../../generated/status-map.ts';
import {
  assignmentApplied,
  assignmentBooked,
  assignmentHolding,
  eventAborted,
  eventClosed,
} from '../../../generated/status-sets.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Span } from '../time/span.ts';
import { obstacles, type Worker } from './checks.ts';

export type Status = components['schemas']['AssignmentStatus'];

/** The data of an event function that the staffing rules depend on. */
export interface Place extends Span {
  readonly id: number;
  readonly event_id: number;
  readonly event_status: number;
  readonly is_locked: boolean;
  readonly quantity: number;
  readonly overbooking_percent: number;
  readonly required_qualifications: readonly number[];
  /** The number of filled places; updated as assignments change. */
  holding: number;
}

/**
 * The data of an assignment that the staffing rules depend on, with effective times; a new one has neither id nor
 * status.
 */
export interface Seat extends Span {
  readonly id: number | null;
  status: Status | null;
  readonly is_approved: boolean;
  readonly is_paid: boolean;
  readonly worker: Worker;
  readonly place: Place;
}

export interface Verdict {
  readonly errors: readonly FieldError[];
  /** Codes of the errors that `force` has overridden. */
  readonly overridden: readonly string[];
}

const includes = (list: readonly number[], status: number | null): boolean => status !== null && list.includes(status);

/** Returns whether assignments with the status fill a place. */
export const isHolding = (status: number | null): boolean => includes(assignmentHolding, status);

/** Returns whether assignments with the status book the employee. */
export const isBooked = (status: number | null): boolean => includes(assignmentBooked, status);

const DENIED = 8;

/** Returns the maximum number of filled places of the event function, overbooking included. */
export const capacityOf = ({ quantity, overbooking_percent }: Place): number =>
  Math.floor((quantity * (100 + overbooking_percent)) / 100);

/**
 * Checks a change of status or a new assignment, and returns its errors. All status checks are here. Must not be called
 * with the current status.
 */
export const judge = (seat: Seat, to: Status, force: boolean): Verdict => {
  const errors = frozen(seat);
  if (errors.length > 0) return { errors, overridden: [] };
  const { status: from, place, worker } = seat;
  const isNew = from === null;
  const placeField = isNew ? 'event_function_id' : 'status';
  const reachable: readonly number[] = isNew ? statusMap.create : (statusMap.from[from] ?? []);
  const found: FieldError[] = [];
  if (!reachable.includes(to)) found.push(fieldError('invalid_transition', 'status'));
  if (includes(eventClosed, place.event_status) && (isNew || to !== DENIED))
    found.push(fieldError('event_not_active', placeField));
  if (includes(assignmentApplied, to) && place.is_locked) found.push(fieldError('function_locked', placeField));
  if (found.length > 0) return { errors: found, overridden: [] };
  if (isHolding(to) && !isHolding(from) && place.holding >= capacityOf(place))
    found.push(fieldError('function_full', placeField));
  const obstructed =
    isBooked(to) && !isBooked(from)
      ? obstacles(worker, seat, place.required_qualifications, seat.id, isNew ? 'employee_id' : 'status')
      : [];
  return force
    ? { errors: found, overridden: obstructed.map(({ code }) => code) }
    : { errors: [...found, ...obstructed], overridden: [] };
};

/** Returns the error that prevents any change of an assignment: its approval or payment. */
export const frozen = (
  { is_paid, is_approved }: Pick<Seat, 'is_paid' | 'is_approved'>,
  field = 'status',
): readonly FieldError[] => {
  if (is_paid) return [fieldError('assignment_paid', field)];
  return is_approved ? [fieldError('assignment_approved', field)] : [];
};

/** Applies the change to the data in memory, so that subsequent checks include it. */
export const take = (seat: Seat, to: Status): void => {
  const { place, worker, status: from, start, end } = seat;
  place.holding += Number(isHolding(to)) - Number(isHolding(from));
  seat.status = to;
  if (seat.id === null) return;
  const others = worker.bookings.filter(({ assignment_id }) => assignment_id !== seat.id);
  worker.bookings = isBooked(to)
    ? [...others, { assignment_id: seat.id, event_id: place.event_id, start, end }]
    : others;
};

/**
 * Checks a change of an assignment's times to the span, and returns its errors; only booked assignments can collide.
 */
export const judgeTimes = (seat: Seat, span: Span, force: boolean, field = 'start'): Verdict => {
  const errors = frozen(seat, field);
  if (errors.length > 0) return { errors, overridden: [] };
  if (span.start !== null && span.end !== null && span.end <= span.start)
    return { errors: [fieldError('end_before_start', 'end')], overridden: [] };
  if (!isBooked(seat.status) || includes(eventAborted, seat.place.event_status)) return { errors: [], overridden: [] };
  const found = obstacles(seat.worker, span, seat.place.required_qualifications, seat.id, field);
  return force ? { errors: [], overridden: found.map(({ code }) => code) } : { errors: found, overridden: [] };
};
