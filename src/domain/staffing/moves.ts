import { assignmentBooked } from '../../../generated/status-sets.ts';
import type { Call } from '../../core/call/call.ts';
import { isOn } from '../../core/call/switch.ts';
import { type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { selectBookings } from './bookings.ts';
import { obstacles } from './checks.ts';
import { functionsOf, owners, type Scope } from './effective-times.ts';
import { lockEmployees, lockFunctions } from './locks.ts';
import { recordHistory } from './record.ts';
import { loadObstacles } from './workers.ts';

/** Returns the booked assignments of the scope with their times. */
export const bookedIn = ({ field, id }: Scope, transaction: Transaction) =>
  selectBookings(transaction.kysely)
    .select(['a.status', 'f.required_qualifications'])
    .where(owners[field], '=', id)
    .orderBy('a.id')
    .execute();

export type Booked = Awaited<ReturnType<typeof bookedIn>>;

/**
 * Locks the booked employees of an event or event function, also of aborted events, and the functions of an event. Call
 * it before locking the record itself: the order of `staffingLocks`.
 */
export const lockBooked = async ({ field, id }: Scope, transaction: Transaction): Promise<void> => {
  const booked = await transaction.kysely
    .selectFrom('assignments_view')
    .select('employee_id')
    .where(field, '=', id)
    .where('status', 'in', assignmentBooked)
    .execute();
  await lockEmployees(
    booked.map(({ employee_id }) => employee_id),
    transaction,
  );
  if (field === 'event_id') await lockFunctions(await functionsOf(id, transaction), transaction);
};

/**
 * Rejects a write after which an event function or assignment would end before it starts, because it has one time of
 * its own and inherits the other. Call it after the write.
 * @throws ApiError validation_failed (422)
 */
export const checkOrder = async ({ field, id }: Scope, { kysely }: Transaction): Promise<void> => {
  const places = await kysely
    .selectFrom('event_functions_view')
    .select('id')
    .where(field === 'event_id' ? 'event_id' : 'id', '=', id)
    .whereRef('end', '<=', 'start')
    .limit(1)
    .execute();
  const seats = await kysely
    .selectFrom('assignments_view')
    .select('id')
    .where(field, '=', id)
    .whereRef('end', '<=', 'start')
    .limit(1)
    .execute();
  const [seat] = seats;
  if (places.length === 0 && !seat) return;
  throw validationFailed([
    fieldError('end_before_start', 'end', undefined, places.length === 0 && seat ? { assignment_id: seat.id } : {}),
  ]);
};

/**
 * Rejects a write that moves booked assignments to times at which their employees cannot work, unless forced. Call it
 * after the write.
 * @param booked the booked assignments before the write; one that was not booked then counts as moved
 * @param field the field that the errors are reported on
 * @throws ApiError validation_failed (422)
 */
export const checkMoved = async (
  scope: Scope,
  booked: Booked,
  transaction: Transaction,
  call: Call,
  field = 'start',
): Promise<void> => {
  const before = new Map(booked.map(seat => [seat.id, seat]));
  const moved = (await bookedIn(scope, transaction)).filter(({ id, start, end }) => {
    const span = before.get(id);
    return span?.start !== start || span.end !== end;
  });
  if (moved.length === 0) return;
  // Most are locked already; the others were booked before the written record was locked.
  const employees = await lockEmployees(
    moved.map(({ employee_id }) => employee_id),
    transaction,
    { late: true },
  );
  await loadObstacles(employees, moved, transaction);
  const workers = new Map(employees.map(worker => [worker.id, worker]));
  const errors: FieldError[] = [];
  const forced = moved.flatMap(({ id, employee_id, status, start, end, required_qualifications }) => {
    const worker = workers.get(employee_id);
    const required = required_qualifications as number[];
    const found = worker ? obstacles(worker, { start, end }, required, id, field) : [];
    errors.push(...found.map(error => ({ ...error, assignment_id: id })));
    const overridden = found.map(({ code }) => code);
    return overridden.length > 0
      ? [{ assignment_id: id, action: 'time' as const, from_status: status, to_status: status, overridden }]
      : [];
  });
  if (errors.length === 0) return;
  if (!isOn(call.parameters, 'force')) throw validationFailed(errors);
  await recordHistory(forced, call.principal.apiUser.id, transaction);
};
