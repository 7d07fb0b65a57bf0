import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal, unique } from '../../db/ids.ts';
import type { Worker } from './checks.ts';
import type { Place, Seat } from './transition.ts';
import { lockEmployees, workersWithin } from './workers.ts';

/** Locked employees and event functions; all writes lock them in the same order, which prevents deadlocks. */
export interface Locked {
  readonly workers: ReadonlyMap<number, Worker>;
  readonly places: ReadonlyMap<number, Place>;
}

/**
 * Locks employees, then event functions, then their events, each in the order of ids, until the transaction ends.
 * Returns the data that the rules depend on; bookings and absences only during the event functions.
 */
export const lockStaffing = async (
  employeeIds: readonly number[],
  functionIds: readonly number[],
  transaction: Transaction,
): Promise<Locked> => {
  const employees = await lockEmployees(employeeIds, transaction);
  const places = await lockPlaces(functionIds, transaction);
  return { workers: await workersWithin(employees, [...places.values()], transaction), places };
};

/**
 * Locks events in the order of ids until the transaction ends. The lock is exclusive because counters of events are
 * updated later: with shared locks, two transactions would then wait for each other.
 */
export const lockEvents = async (eventIds: readonly number[], { kysely }: Transaction): Promise<void> => {
  await kysely
    .selectFrom('events')
    .select('id')
    .where('id', '=', sql<number>`any(${literal(unique(eventIds))}::bigint[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
};

const lockPlaces = async (
  functionIds: readonly number[],
  transaction: Transaction,
): Promise<ReadonlyMap<number, Place>> => {
  const { kysely } = transaction;
  const ids = unique(functionIds);
  if (ids.length === 0) return new Map();
  const list = sql<number>`any(${literal(ids)}::bigint[])`;
  const locked = await kysely
    .selectFrom('event_functions')
    .select('event_id')
    .where('id', '=', list)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  await lockEvents(
    locked.map(({ event_id }) => event_id),
    transaction,
  );
  const rows = await kysely
    .selectFrom('event_functions as f')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .select(['f.id', 'f.event_id', 'e.status as event_status', 'f.quantity', 'f.holding', 'e.overbooking_percent'])
    .select(['f.required_qualifications'])
    .select(({ fn }) => [fn.coalesce('f.start', 'e.start').as('start'), fn.coalesce('f.end', 'e.end').as('end')])
    .select(({ eb }) => eb.or([eb('f.is_locked', '=', true), eb('e.is_locked', '=', true)]).as('is_locked'))
    .where('f.id', '=', list)
    .execute();
  return new Map(
    rows.map(row => [
      row.id,
      { ...row, is_locked: Boolean(row.is_locked), required_qualifications: row.required_qualifications as number[] },
    ]),
  );
};

/**
 * Locks assignments and the records that their rules depend on; returns them by id, without those that do not exist.
 */
export const lockSeats = async (
  ids: readonly number[],
  transaction: Transaction,
): Promise<ReadonlyMap<number, Seat>> => {
  const { kysely } = transaction;
  const list = sql<number>`any(${literal(ids)}::bigint[])`;
  const targets = await kysely
    .selectFrom('assignments')
    .select(['employee_id', 'event_function_id'])
    .where('id', '=', list)
    .execute();
  const employees = await lockEmployees(
    targets.map(({ employee_id }) => employee_id),
    transaction,
  );
  const places = await lockPlaces(
    targets.map(({ event_function_id }) => event_function_id),
    transaction,
  );
  await kysely.selectFrom('assignments').select('id').where('id', '=', list).orderBy('id').forUpdate().execute();
  const rows = await kysely
    .selectFrom('assignments_view')
    .select(['id', 'employee_id', 'event_function_id', 'status', 'start', 'end', 'is_approved', 'paid_on'])
    .where('id', '=', list)
    .execute();
  const workers = await workersWithin(employees, rows, transaction);
  return new Map(
    rows.map(({ id, employee_id, event_function_id, status, start, end, is_approved, paid_on }) => {
      const worker = workers.get(employee_id);
      const place = places.get(event_function_id);
      if (!worker || !place) throw new Error('An assignment has changed its employee or event function.');
      return [id, { id, status, start, end, is_approved, is_paid: paid_on !== null, worker, place }];
    }),
  );
};
