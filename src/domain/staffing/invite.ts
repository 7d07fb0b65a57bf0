import { sql } from 'kysely';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { changedFields } from '../../db/journal/returning.ts';
import type { JudgedWrite } from '../rules/rulebook.ts';
import type { ShownBreach } from '../rules/shown.ts';
import type { Worker } from './checks.ts';
import { takeStaffing } from './locked-staffing.ts';
import { type StoredPath, storeSteps } from './steps.ts';
import { advance, type Seat, type StaffedFunction, type Status, timesIn } from './transition.ts';

/** Requested assignments of employees to one event function. */
export interface Invitation extends JudgedWrite {
  readonly event_function_id: number;
  readonly employee_ids: readonly number[];
  readonly status: Status;
  readonly remarks: string | null;
  /** Whether all assignments are created, or none. */
  readonly atomic: boolean;
}

/** The outcome for one employee; without errors, the assignment is created. */
export interface Invited {
  readonly employee_id: number;
  readonly assignment_id: number | null;
  readonly errors: readonly FieldError[];
  /** The breaches of working-time rules that only warn. */
  readonly warned: readonly ShownBreach[];
}

/**
 * Assigns employees to an event function, under the rules of a single new assignment.
 * They are judged in the order given, each with the effects of those before. The number of statements does not depend on
 * the number of employees. With `atomic`, nothing is stored if one of them fails. Returns null if the event function does
 * not exist. See docs/decisions.md, "Bookings and places".
 */
export const invite = async (invitation: Invitation, transaction: Transaction): Promise<readonly Invited[] | null> => {
  const { event_function_id, employee_ids, status, remarks, force, atomic, rulebook, apiUserId } = invitation;
  const targets = { employees: employee_ids, functions: [event_function_id] };
  const { workers, places } = await takeStaffing(targets, rulebook, transaction);
  const place = places.get(event_function_id);
  if (!place) return null;
  const present = await employeesIn(event_function_id, employee_ids, transaction);
  const ids = await transaction.newIds('assignments', employee_ids.length);
  const data = remarks === null ? null : { remarks };
  const stored: StoredPath[] = [];
  const invited = employee_ids.map((employee_id, index): Invited => {
    const fail = (errors: readonly FieldError[]) => ({ employee_id, assignment_id: null, errors, warned: [] });
    const worker = workers.get(employee_id);
    if (!worker)
      return fail([fieldError('reference_not_found', 'employee_id', `There is no employee ${employee_id}.`)]);
    if (present.has(employee_id)) return fail([fieldError('already_in_function', 'employee_id')]);
    const seat = newSeat(worker, place);
    const steps = advance(seat, status, force);
    if (steps.errors.length > 0) return fail(steps.errors);
    const id = ids[index] as number;
    stored.push({ id, seat, from: null, steps, data });
    return { employee_id, assignment_id: id, errors: [], warned: steps.warned };
  });
  if (stored.length === 0 || (atomic && stored.length < invited.length)) return invited;
  const times = { effective_start: place.start, effective_end: place.end };
  const shared = { event_function_id, status, remarks, ...times };
  await transaction.kysely
    .insertInto('assignments')
    .values(stored.map(({ id, seat }) => ({ id, employee_id: seat.worker.id, ...shared })))
    // What the entry of a single new assignment names, too.
    .returning(changedFields({ start: isShown('effective_start'), end: isShown('effective_end') }))
    .execute();
  await storeSteps(stored, apiUserId, transaction);
  return invited;
};

const isShown = (column: string) => sql<boolean>`${sql.ref(column)} is not null`;

/** Returns a new assignment at the times of its event function. */
export const newSeat = (worker: Worker, place: StaffedFunction): Seat => ({
  id: null,
  status: null,
  ...timesIn(place),
  is_approved: false,
  is_paid: false,
  correction: null,
  worker,
  place,
});

const employeesIn = async (
  functionId: number,
  employeeIds: readonly number[],
  { kysely }: Transaction,
): Promise<ReadonlySet<number>> => {
  const rows = await kysely
    .selectFrom('assignments')
    .select('employee_id')
    .where('event_function_id', '=', functionId)
    .where('employee_id', '=', oneOf(employeeIds))
    .execute();
  return new Set(rows.map(({ employee_id }) => employee_id));
};
