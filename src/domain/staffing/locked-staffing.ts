import type { TenantQuery, Transaction } from '../../db/database.ts';
import type { Rulebook } from '../rules/rulebook.ts';
import type { Worker } from './checks.ts';
import { staffingLocks, type Targets, workerOf } from './locks.ts';
import type { Seat, StaffedFunction } from './transition.ts';
import { loadObstacles } from './workers.ts';

/** Locked records with the data that the staffing rules depend on, by id. */
export interface Staffing {
  readonly workers: ReadonlyMap<number, Worker>;
  readonly places: ReadonlyMap<number, StaffedFunction>;
  /** The assignments, without those that do not exist. */
  readonly seats: ReadonlyMap<number, Seat>;
}

/**
 * Locks assignments and the records that their rules depend on, and returns their data.
 * Further employees and event functions are locked, too; bookings and absences only during the event functions and
 * assignments.
 */
export const takeStaffing = async (
  targets: Targets,
  rulebook: Rulebook,
  transaction: Transaction,
): Promise<Staffing> => {
  const staffing = await takeLocked(targets, transaction);
  const places = [...staffing.places.values()].map(place => ({ ...place, place }));
  const wanted = [...places, ...staffing.seats.values()];
  await loadObstacles([...staffing.workers.values()], wanted, rulebook, transaction);
  return staffing;
};

/**
 * Locks assignments and the records that their rules depend on.
 * Returns them by id, without those that do not exist. Nothing is known of what may stand against their employees: see `loadObstacles`.
 */
export const lockSeats = async (ids: readonly number[], transaction: Transaction): Promise<ReadonlyMap<number, Seat>> =>
  (await takeLocked({ assignments: ids }, transaction)).seats;

const takeLocked = async (targets: Targets, transaction: Transaction): Promise<Staffing> => {
  const [employees, functions, events, rows] = await transaction.run(...staffingLocks(targets));
  const workers = new Map(employees.map(row => [row.id, workerOf(row)]));
  const eventsById = new Map(events.map(event => [event.id, event]));
  const places = new Map(functions.map(row => [row.id, placeOf(row, eventsById.get(row.event_id))]));
  const seats = rows.map(({ employee_id, event_function_id, paid_on, ...row }) => {
    const worker = workers.get(employee_id);
    const place = places.get(event_function_id);
    if (!worker || !place) throw new Error('An assignment has changed its employee or event function.');
    const pause = { break_start: row.break_start ?? place.break_start, break_end: row.break_end ?? place.break_end };
    return [row.id, { ...row, ...pause, is_paid: paid_on !== null, worker, place }] as const;
  });
  return { workers, places, seats: new Map<number, Seat>(seats) };
};

/** The statuses of automatic assignments, by the event's mode. */
const autoAssigned = { assigned: 6, provisional: 5 } as const;

type Locks = ReturnType<typeof staffingLocks>;
type RowOf<Lock> = Lock extends TenantQuery<infer Row> ? Row : never;

const placeOf = (row: RowOf<Locks[1]>, event: RowOf<Locks[2]> | undefined): StaffedFunction => {
  if (!event) throw new Error('An event function has changed its event.');
  return {
    ...row,
    required_qualifications: row.required_qualifications as number[],
    start: row.start ?? event.start,
    end: row.end ?? event.end,
    break_start: row.break_start ?? event.break_start,
    break_end: row.break_end ?? event.break_end,
    is_locked: row.is_locked || event.is_locked,
    event_status: event.status,
    overbooking_percent: event.overbooking_percent,
    auto_assign: event.auto_assign_enabled ? autoAssigned[event.auto_assign_mode] : null,
  };
};
