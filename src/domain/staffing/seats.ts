import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import type { Worker } from './checks.ts';
import { lockStaffing, type Targets } from './locks.ts';
import type { Place, Seat } from './transition.ts';
import { workersWithin } from './workers.ts';

/** Locked records with the data that the staffing rules depend on, by id. */
export interface Staffing {
  readonly workers: ReadonlyMap<number, Worker>;
  readonly places: ReadonlyMap<number, Place>;
  /** The assignments, without those that do not exist. */
  readonly seats: ReadonlyMap<number, Seat>;
}

/**
 * Locks assignments and the records that their rules depend on, and further employees and event functions, and returns
 * their data; bookings and absences only during the event functions and assignments.
 */
export const takeStaffing = async (targets: Targets, transaction: Transaction): Promise<Staffing> => {
  const { employees, functions } = await lockStaffing(targets, transaction);
  const places = await placesOf(functions, transaction);
  const rows = await rowsOf(targets.assignments ?? [], transaction);
  const workers = await workersWithin(employees, [...places.values(), ...rows], transaction);
  const seats = rows.map(({ employee_id, event_function_id, paid_on, ...row }) => {
    const worker = workers.get(employee_id);
    const place = places.get(event_function_id);
    if (!worker || !place) throw new Error('An assignment has changed its employee or event function.');
    return [row.id, { ...row, is_paid: paid_on !== null, worker, place }] as const;
  });
  return { workers, places, seats: new Map<number, Seat>(seats) };
};

/** Locks assignments and the records that their rules depend on; returns them by id, without those that do not exist. */
export const lockSeats = async (ids: readonly number[], transaction: Transaction): Promise<ReadonlyMap<number, Seat>> =>
  (await takeStaffing({ assignments: ids }, transaction)).seats;

/** The statuses of automatic assignments, by the event's mode. */
const autoAssigned = { assigned: 6, provisional: 5 } as const;

const placesOf = async (ids: readonly number[], { kysely }: Transaction): Promise<ReadonlyMap<number, Place>> => {
  if (ids.length === 0) return new Map();
  const rows = await kysely
    .selectFrom('event_functions as f')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .select(['f.id', 'f.event_id', 'e.status as event_status', 'f.quantity', 'f.holding', 'e.overbooking_percent'])
    .select(['f.required_qualifications', 'e.auto_assign_enabled', 'e.auto_assign_mode'])
    .select(({ fn }) => [fn.coalesce('f.start', 'e.start').as('start'), fn.coalesce('f.end', 'e.end').as('end')])
    .select(({ eb }) => eb.or([eb('f.is_locked', '=', true), eb('e.is_locked', '=', true)]).as('is_locked'))
    .where('f.id', '=', sql<number>`any(${literal(ids)}::bigint[])`)
    .execute();
  return new Map(
    rows.map(({ auto_assign_enabled, auto_assign_mode, ...row }) => [
      row.id,
      {
        ...row,
        is_locked: Boolean(row.is_locked),
        required_qualifications: row.required_qualifications as number[],
        auto_assign: auto_assign_enabled ? autoAssigned[auto_assign_mode] : null,
      },
    ]),
  );
};

const rowsOf = async (ids: readonly number[], { kysely }: Transaction) => {
  if (ids.length === 0) return [];
  return kysely
    .selectFrom('assignments_view')
    .select(['id', 'employee_id', 'event_function_id', 'status', 'start', 'end', 'is_approved', 'paid_on'])
    .where('id', '=', sql<number>`any(${literal(ids)}::bigint[])`)
    .execute();
};
