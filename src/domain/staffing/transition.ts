import type { components } from '../../../generated/api.ts';
import { statusMap } from '../../../generated/status-map.ts';
import {
  assignmentApplied,
  assignmentBooked,
  assignmentHolding,
  employeeEnded,
  eventClosed,
} from '../../../generated/status-sets.ts';
import { ApiError, type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import { type BreakTimes, pieceOf } from '../rules/employee-work.ts';
import type { Span } from '../time/span.ts';
import {
  breachesOf,
  judgedBreaches,
  none,
  type Obstacles,
  obstacles,
  refusal,
  together,
  type Verdict,
  verdictOn,
  type Worker,
} from './checks.ts';

export type Status = components['schemas']['AssignmentStatus'];

/** The data of an event function that the staffing rules depend on. */
export interface StaffedFunction extends Span, BreakTimes {
  readonly id: number;
  readonly event_id: number;
  readonly event_status: number;
  readonly is_locked: boolean;
  readonly quantity: number;
  readonly overbooking_percent: number;
  readonly required_qualifications: readonly number[];
  /** The status that applications get automatically; null: they wait for a planner. */
  readonly auto_assign: Status | null;
  /** The number of filled places; updated as assignments change. */
  holding: number;
}

/**
 * The data of an assignment that the staffing rules depend on, with effective times.
 * A new one has neither id nor status.
 */
export interface Seat extends Span, BreakTimes {
  readonly id: number | null;
  /** Undefined: a new one. */
  readonly external_id?: string | null;
  readonly remarks?: string | null;
  readonly updated_at?: string;
  /** Its own one. */
  readonly wage_profile_id?: number | null;
  status: Status | null;
  readonly is_approved: boolean;
  readonly is_paid: boolean;
  /** Null: none is open. */
  readonly correction: components['schemas']['AssignmentCorrection'] | null;
  readonly worker: Worker;
  readonly place: StaffedFunction;
}

/** What decides whether an assignment can be changed; a correction is known by not being null. */
export interface Fixed extends Pick<Seat, 'is_paid' | 'is_approved'> {
  readonly correction: unknown;
}

const includes = (list: readonly number[], status: number | null): boolean => status !== null && list.includes(status);

/** Returns whether assignments with the status fill a place. */
export const isHolding = (status: number | null): boolean => includes(assignmentHolding, status);

/** Returns whether assignments with the status are applications. */
export const isApplied = (status: number | null): boolean => includes(assignmentApplied, status);

/** Returns whether assignments with the status book the employee. */
export const isBooked = (status: number | null): boolean => includes(assignmentBooked, status);

const APPLIED = 3;
export const DENIED = 8;
const EMPLOYEE = 'employee_id';

/** Returns the maximum number of filled places of the event function, overbooking included. */
const capacityOf = ({ quantity, overbooking_percent }: StaffedFunction): number =>
  Math.floor((quantity * (100 + overbooking_percent)) / 100);

/**
 * Checks a change of status or a new assignment, and returns its errors.
 * Must not be called with the current status. See docs/decisions.md, "Status of assignments".
 */
export const judgeStatus = (seat: Seat, to: Status, force: boolean): Verdict => {
  const { status: from } = seat;
  const reachable: readonly number[] = from === null ? statusMap.create : (statusMap.from[from] ?? []);
  const fields = from === null ? { place: 'event_function_id', worker: EMPLOYEE } : only('status');
  const errors = frozen(seat);
  if (errors.length > 0) return refusal(errors);
  return judgeEntry(seat, to, force, fields, reachable.includes(to) ? [] : [unreachable(from, reachable)]);
};

const unreachable = (from: number | null, reachable: readonly number[]): FieldError => {
  const start = from === null ? 'a new assignment takes' : `from ${from} it changes to`;
  return fieldError('invalid_transition', 'status', `status: ${start} one of ${reachable.join(', ')}.`);
};

/** Checks a move of an assignment to another event function as if it were new; returns the errors. */
export const judgeMove = (seat: Seat, place: StaffedFunction, force: boolean): Verdict => {
  const field = 'event_function_id';
  const errors = frozen(seat, field);
  if (errors.length > 0 || seat.status === null) return refusal(errors);
  return judgeEntry({ ...seat, ...timesIn(place), place, status: null }, seat.status, force, only(field), []);
};

const only = (field: string) => ({ place: field, worker: field });

/** The times of those who have none of their own. */
export const timesIn = ({ start, end, break_start, break_end }: StaffedFunction) => ({
  start,
  end,
  break_start,
  break_end,
});

/**
 * Checks what stands against a status in an event function.
 * @param fields the fields that errors of the event function and of the employee are reported on
 * @param before errors that are known
 */
const judgeEntry = (
  seat: Seat,
  to: Status,
  force: boolean,
  fields: { readonly place: string; readonly worker: string },
  before: readonly FieldError[],
): Verdict => {
  const { status: from, place, worker } = seat;
  const isNew = from === null;
  const found = [...(engages(from, to) ? workerErrors(worker) : []), ...before];
  if (includes(eventClosed, place.event_status) && (isNew || to !== DENIED))
    found.push(fieldError('event_not_active', fields.place));
  if (isApplied(to) && place.is_locked) found.push(fieldError('function_locked', fields.place));
  if (found.length > 0) return refusal(found);
  if (isHolding(to) && !isHolding(from) && place.holding >= capacityOf(place))
    found.push(fieldError('function_full', fields.place));
  const verdict = verdictOn(isBooked(to) && !isBooked(from) ? against(seat, fields.worker) : none, force);
  return { ...verdict, errors: [...found, ...verdict.errors] };
};

/** Returns what stands against the employee, and against the work that is added. */
const against = (seat: Seat, field: string): Obstacles => {
  const { id, worker, place } = seat;
  const errors = obstacles(worker, seat, place.required_qualifications, id, field);
  const breaches = breachesOf(worker, work => {
    const before = id === null ? work.pieces : work.pieces.filter(({ assignmentId }) => assignmentId !== id);
    return { before, after: [...before, pieceOf(seat, work)] };
  });
  return together({ ...none, errors }, judgedBreaches(worker, breaches, field));
};

/** Returns whether a change of status asks of the employee what a new assignment does. */
const engages = (from: Status | null, to: Status): boolean =>
  from === null || (!isHolding(from) && (isHolding(to) || (isApplied(to) && !isApplied(from))));

/** Returns the error of an employee who takes no new assignments. */
const workerErrors = ({ id, status, is_forgotten }: Worker): readonly FieldError[] => {
  if (is_forgotten) return [fieldError('record_forgotten', EMPLOYEE)];
  return includes(employeeEnded, status)
    ? [fieldError('reference_inactive', EMPLOYEE, `The employee ${id} takes no new assignments.`)]
    : [];
};

/** Returns the error of a rejected write: 409 if the employee has been forgotten, else 422. */
export const rejection = (errors: readonly FieldError[]): ApiError =>
  errors.some(({ code }) => code === 'record_forgotten') ? new ApiError('record_forgotten') : validationFailed(errors);

/** A status that an application gets automatically, and what it breaks no more than is allowed. */
interface AutoStatus extends Pick<Verdict, 'warned'> {
  readonly to: Status;
}

/**
 * Returns the status that an application gets automatically.
 * That of its event, if the application is not a decision taken back, a place is free, and nothing stands against the
 * employee, even for a provisional assignment. Otherwise null.
 * @param from the status before the application
 */
const autoStatusOf = (seat: Seat, from: Status | null): AutoStatus | null => {
  const { place } = seat;
  const to = place.auto_assign;
  if (seat.status !== APPLIED || to === null || isHolding(from)) return null;
  const { errors, warned } = judgeStatus(seat, to, false);
  if (errors.length > 0) return null;
  // What books the employee has been judged.
  const provisional = isBooked(to) ? none : against(seat, 'status');
  return provisional.errors.length + provisional.fixed.length === 0 ? { to, warned } : null;
};

/** The result of a change of status or of a new assignment. */
export interface StatusPath extends Verdict {
  /** The status requested and, after automatic creation, the next one; empty with errors. */
  readonly path: readonly Status[];
}

/** Checks a change of status or a new assignment and applies it to the data in memory. */
export const advance = (seat: Seat, to: Status, force: boolean): StatusPath => {
  const verdict = judgeStatus(seat, to, force);
  if (verdict.errors.length > 0) return { ...verdict, path: [] };
  const from = seat.status;
  take(seat, to);
  const auto = autoStatusOf(seat, from);
  if (auto === null) return { ...verdict, path: [to] };
  take(seat, auto.to);
  return { ...verdict, warned: [...verdict.warned, ...auto.warned], path: [to, auto.to] };
};

/** Returns the error of an assignment that is approved, paid, or open for a correction. */
export const frozen = ({ is_paid, is_approved, correction }: Fixed, field = 'status'): readonly FieldError[] => {
  if (correction !== null) return [fieldError('correction_open', field)];
  if (is_paid) return [fieldError('assignment_paid', field)];
  return is_approved ? [fieldError('assignment_approved', field)] : [];
};

/** Returns whether a change to the status is judged by what may stand against the employee. */
export const needsObstacles = ({ status, place }: Seat, to: Status): boolean =>
  (isBooked(to) && !isBooked(status)) || (to === APPLIED && place.auto_assign !== null);

/** Applies the change to the data in memory, so that subsequent checks include it. */
const take = (seat: Seat, to: Status): void => {
  const { place, worker, status: from, start, end } = seat;
  place.holding += Number(isHolding(to)) - Number(isHolding(from));
  seat.status = to;
  if (seat.id === null) return;
  if (!worker.bookings) return;
  const others = worker.bookings.filter(({ assignment_id }) => assignment_id !== seat.id);
  worker.bookings = isBooked(to)
    ? [...others, { assignment_id: seat.id, event_id: place.event_id, start, end }]
    : others;
  const { work } = worker;
  if (!work) return;
  const elsewhere = work.pieces.filter(({ assignmentId }) => assignmentId !== seat.id);
  work.pieces = isBooked(to) ? [...elsewhere, pieceOf(seat, work)] : elsewhere;
};
