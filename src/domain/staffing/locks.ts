import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';

/** The records to lock before a write, by id. */
export interface Targets {
  readonly employees?: readonly number[];
  readonly functions?: readonly number[];
  readonly assignments?: readonly number[];
}

/** A locked employee. */
export interface Employee {
  readonly id: number;
  readonly status: number;
  readonly qualifications: readonly number[];
}

/** The locked employees, and the ids of the locked event functions. */
export interface Locked {
  readonly employees: readonly Employee[];
  readonly functions: readonly number[];
}

/**
 * Locks assignments with their employees, event functions and events, and further employees and event functions with
 * their events, until the transaction ends.
 *
 * Every write that locks rows of several of these tables does it in one order, which prevents deadlocks: employees, event
 * functions, events and assignments, each by id, then the records of an assignment, such as check-ins, paysheets and
 * billings. An assignment keeps its employee, and changes its event function only while the employee is locked.
 */
export const lockStaffing = async (
  { employees = [], functions = [], assignments = [] }: Targets,
  transaction: Transaction,
): Promise<Locked> => {
  const workers = await lockEmployees(employees, transaction, { assignments });
  const places = await lockFunctions(functions, transaction, { assignments });
  await lockEvents(
    places.map(({ event_id }) => event_id),
    transaction,
  );
  await lockAssignments(assignments, transaction);
  return { employees: workers, functions: places.map(({ id }) => id) };
};

/** Locks assignments with their employees, for writes that depend on neither event function nor event. */
export const lockWorked = async (assignments: readonly number[], transaction: Transaction): Promise<void> => {
  await lockEmployees([], transaction, { assignments });
  await lockAssignments(assignments, transaction);
};

interface LockOptions {
  /** Locks the records that these assignments refer to, too. */
  readonly assignments?: readonly number[];
  /** Whether rows that come later in the order are locked: fails instead of waiting, so that the transaction is retried. */
  readonly late?: boolean;
}

/** Locks employees; see `lockStaffing` for the order. */
export const lockEmployees = async (
  ids: readonly number[],
  { kysely }: Transaction,
  { assignments = [], late = false }: LockOptions = {},
): Promise<readonly Employee[]> => {
  if (ids.length + assignments.length === 0) return [];
  const staffed = kysely.selectFrom('assignments').select('employee_id').where('id', '=', among(assignments));
  const rows = await kysely
    .selectFrom('employees')
    .select(['id', 'status', 'qualifications'])
    .where('id', '=', among(ids, assignments.length > 0 ? sql`${staffed}` : null))
    .orderBy('id')
    .forNoKeyUpdate()
    .$if(late, query => query.noWait())
    .execute();
  return rows.map(row => ({ ...row, qualifications: row.qualifications as number[] }));
};

/** Locks event functions; see `lockStaffing` for the order. */
export const lockFunctions = async (
  ids: readonly number[],
  { kysely }: Transaction,
  { assignments = [], late = false }: LockOptions = {},
): Promise<readonly { readonly id: number; readonly event_id: number }[]> => {
  if (ids.length + assignments.length === 0) return [];
  const staffed = kysely.selectFrom('assignments').select('event_function_id').where('id', '=', among(assignments));
  return kysely
    .selectFrom('event_functions')
    .select(['id', 'event_id'])
    .where('id', '=', among(ids, assignments.length > 0 ? sql`${staffed}` : null))
    .orderBy('id')
    .forNoKeyUpdate()
    .$if(late, query => query.noWait())
    .execute();
};

/**
 * Locks events; see `lockStaffing` for the order. The lock is exclusive because counters of events are updated later:
 * with shared locks, two transactions would then wait for each other.
 */
export const lockEvents = async (ids: readonly number[], { kysely }: Transaction): Promise<void> => {
  if (ids.length === 0) return;
  await kysely.selectFrom('events').select('id').where('id', '=', among(ids)).orderBy('id').forNoKeyUpdate().execute();
};

/**
 * Locks the projects with these ids and that of an event against changes, for a write of what the event takes from them: either sees the
 * other. Projects come before all that `lockStaffing` locks.
 */
export const holdProjects = async (
  ids: readonly number[],
  eventId: number | null,
  { kysely }: Transaction,
): Promise<void> => {
  const own = kysely.selectFrom('events').select('project_id').where('id', '=', eventId);
  const query = kysely
    .selectFrom('projects')
    .select('id')
    .where('id', '=', among(ids, sql`${own}`));
  await query.orderBy('id').forShare().execute();
};

/** Locks assignments; see `lockStaffing` for the order. */
export const lockAssignments = async (ids: readonly number[], { kysely }: Transaction): Promise<void> => {
  if (ids.length === 0) return;
  const query = kysely.selectFrom('assignments').select('id').where('id', '=', among(ids));
  await query.orderBy('id').forNoKeyUpdate().execute();
};

/** The condition's right side: one of the ids or of those that the query returns. The rows are locked by id anyway. */
const among = (ids: readonly number[], query: RawBuilder<unknown> | null = null): RawBuilder<number> =>
  query ? sql`any(${literal(ids)}::bigint[] || array(${query}))` : sql`any(${literal(ids)}::bigint[])`;
