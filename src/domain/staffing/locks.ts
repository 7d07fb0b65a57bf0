import { type RawBuilder, sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';
import { literal, oneIn, oneOf } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import type { Worker } from './checks.ts';

/** The records to lock before a write, by id. */
export interface Targets {
  readonly employees?: readonly number[];
  readonly functions?: readonly number[];
  readonly assignments?: readonly number[];
}

/**
 * Returns the queries that lock assignments with employees, functions and events until the end.
 * Further employees and event functions with their events are locked, too. Their rows are those of the four, as locked.
 *
 * Every write that locks rows of several of these tables does it in one order, which prevents deadlocks: employees, event
 * functions, events and assignments, each by id, then the records of an assignment, such as check-ins, paysheets and
 * billings. An assignment keeps its employee, and changes its event function only while the employee is locked: each query sees what the
 * locks before it have waited for. See docs/decisions.md, "Concurrency".
 */
export const staffingLocks = ({ employees = [], functions = [], assignments = [] }: Targets) => {
  const asked = { functions: literal(functions), assignments: literal(assignments) };
  return [
    lockingEmployees.patient({ ids: literal(employees), assignments: asked.assignments }),
    lockingFunctions.patient({ ids: asked.functions, assignments: asked.assignments }),
    lockingEvents(asked),
    lockingAssignments({ ids: asked.assignments }),
  ] as const;
};

/** Locks assignments with their employees only, with the next trip. */
export const lockWorked = (assignments: readonly number[], transaction: Transaction): void => {
  if (assignments.length === 0) return;
  const ids = literal(assignments);
  void transaction.defer(lockingEmployees.patient({ ids: '{}', assignments: ids }), lockingAssignments({ ids }));
};

/** Locks the employee that a write names, if any, for what bookings depend on; with the next trip. */
export const lockEmployee = (id: Json, transaction: Transaction): void => {
  if (Number.isSafeInteger(id))
    void transaction.defer(lockingEmployees.patient({ ids: literal([Number(id)]), assignments: '{}' }));
};

interface LockOptions {
  /** Whether records later in the order are locked: fails instead of waiting, for a retry. */
  readonly late?: boolean;
}

/** Locks employees; see `staffingLocks` for the order. */
export const lockEmployees = async (
  ids: readonly number[],
  transaction: Transaction,
  { late = false }: LockOptions = {},
): Promise<readonly Worker[]> => {
  if (ids.length === 0) return [];
  const locking = lockingEmployees[late ? 'late' : 'patient'];
  const [rows] = await transaction.run(locking({ ids: literal(ids), assignments: '{}' }));
  return rows.map(workerOf);
};

/** Locks event functions; see `staffingLocks` for the order. */
export const lockFunctions = async (
  ids: readonly number[],
  transaction: Transaction,
  { late = false }: LockOptions = {},
): Promise<void> => {
  if (ids.length === 0) return;
  const locking = lockingFunctions[late ? 'late' : 'patient'];
  await transaction.run(locking({ ids: literal(ids), assignments: '{}' }));
};

/** Locks events; see `staffingLocks` for the order. */
export const lockEvents = async (ids: readonly number[], { kysely }: Transaction): Promise<void> => {
  if (ids.length === 0) return;
  await kysely.selectFrom('events').select('id').where('id', '=', oneOf(ids)).orderBy('id').forNoKeyUpdate().execute();
};

/** One of the ids or of those that the query returns. */
const either = (ids: string, query: RawBuilder<unknown>): RawBuilder<number> =>
  sql`any(${ids}::bigint[] || array(${query}))`;

/**
 * Locks projects and that of an event against changes, for a write of what the event takes from them.
 * Either write then sees the other. Projects come before all that `staffingLocks` locks.
 */
export const holdProjects = async (
  ids: readonly number[],
  eventId: number | null,
  transaction: Transaction,
): Promise<void> => {
  const given = literal(ids);
  await transaction.run(eventId === null ? holding({ ids: given }) : holdingOfEvent({ ids: given, eventId }));
};

const holding = prepare(
  (db, { ids }: { readonly ids: string }) =>
    db.selectFrom('projects').select('id').where('id', '=', oneIn(ids)).orderBy('id').forShare(),
  { ids: 'union' },
);

const holdingOfEvent = prepare((db, { ids, eventId }: { readonly ids: string; readonly eventId: number }) => {
  const own = db.selectFrom('events').select('project_id').where('id', '=', eventId);
  return db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', either(ids, sql`${own}`))
    .orderBy('id')
    .forShare();
});

/** Locks assignments; see `staffingLocks` for the order. */
export const lockAssignments = async (ids: readonly number[], transaction: Transaction): Promise<void> => {
  if (ids.length > 0) await transaction.run(lockingAssignments({ ids: literal(ids) }));
};

interface LockedEmployee extends Pick<Worker, 'id' | 'status' | 'birthday' | 'wage_profile_id'> {
  readonly forgotten_at: string | null;
  /** JSON. */
  readonly qualifications: unknown;
}

/** Returns an employee of a lock's row. */
export const workerOf = ({ forgotten_at, qualifications, ...employee }: LockedEmployee): Worker => ({
  ...employee,
  is_forgotten: forgotten_at !== null,
  qualifications: qualifications as number[],
  bookings: null,
  absences: null,
  work: null,
});

/** Ids and assignments as array literals. */
interface LockedIds {
  readonly ids: string;
  readonly assignments: string;
}

const employeesLock = (late: boolean) =>
  prepare((db, { ids, assignments }: LockedIds) => {
    const staffed = db.selectFrom('assignments').select('employee_id').where('id', '=', oneIn(assignments));
    return db
      .selectFrom('employees')
      .select(['id', 'status', 'forgotten_at', 'qualifications', 'birthday', 'wage_profile_id'])
      .where('id', '=', either(ids, sql`${staffed}`))
      .orderBy('id')
      .forNoKeyUpdate()
      .$if(late, query => query.noWait());
  });
const lockingEmployees = { patient: employeesLock(false), late: employeesLock(true) };

const functionsLock = (late: boolean) =>
  prepare((db, { ids, assignments }: LockedIds) => {
    const staffed = db.selectFrom('assignments').select('event_function_id').where('id', '=', oneIn(assignments));
    return db
      .selectFrom('event_functions')
      .select(['id', 'event_id', 'start', 'end', 'quantity', 'holding', 'is_locked', 'required_qualifications'])
      .select(['break_start', 'break_end'])
      .where('id', '=', either(ids, sql`${staffed}`))
      .orderBy('id')
      .forNoKeyUpdate()
      .$if(late, query => query.noWait());
  });
const lockingFunctions = { patient: functionsLock(false), late: functionsLock(true) };

/** Exclusive, since counters of events are updated later: shared locks would deadlock. */
const lockingEvents = prepare((db, { functions, assignments }: { functions: string; assignments: string }) => {
  const staffed = db.selectFrom('assignments').select('event_function_id').where('id', '=', oneIn(assignments));
  const own = db
    .selectFrom('event_functions')
    .select('event_id')
    .where('id', '=', either(functions, sql`${staffed}`));
  return db
    .selectFrom('events')
    .select(['id', 'status', 'start', 'end', 'break_start', 'break_end', 'is_locked', 'overbooking_percent'])
    .select(['auto_assign_enabled', 'auto_assign_mode'])
    .where('id', '=', sql<number>`any(array(${own}))`)
    .orderBy('id')
    .forNoKeyUpdate();
});

const lockingAssignments = prepare((db, { ids }: { ids: string }) =>
  db
    .selectFrom('assignments')
    .select(['id', 'external_id', 'employee_id', 'event_function_id', 'status', 'is_approved', 'paid_on'])
    .select(['effective_start as start', 'effective_end as end', 'break_start', 'break_end', 'wage_profile_id'])
    .select(['remarks', 'correction', 'updated_at'])
    .where('id', '=', oneIn(ids))
    .orderBy('id')
    .forNoKeyUpdate(),
);
