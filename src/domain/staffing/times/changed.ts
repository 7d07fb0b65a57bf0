import { assignmentBooked } from '../../../../generated/status-sets.ts';
import type { Call } from '../../../core/call/call.ts';
import { invalidField, validationFailed } from '../../../core/errors.ts';
import type { Transaction } from '../../../db/database.ts';
import { judgedAs } from '../../rules/rulebook.ts';
import { warnOfBreaches } from '../../rules/warn.ts';
import { verdictOn } from '../checks.ts';
import { entryOf, recordHistory } from '../history.ts';
import { lockEmployees, lockFunctions } from '../locks.ts';
import { functionsOf, type TimesOwner } from './effective.ts';
import { isMoved, judgeMoved, selectTimed, type Timed } from './judged.ts';

/**
 * Locks the booked employees of an event or event function, and the functions of an event.
 * Aborted events count, too. Call it before locking the record itself: the order of `staffingLocks`.
 */
export const lockBooked = async ({ field, id }: TimesOwner, transaction: Transaction): Promise<void> => {
  const booked = await transaction.kysely
    .selectFrom('assignments_view')
    .select('employee_id')
    .where(field, '=', id)
    .where('status', 'in', assignmentBooked)
    .execute();
  const employees = booked.map(({ employee_id }) => employee_id);
  await lockEmployees(employees, transaction);
  if (field === 'event_id') await lockFunctions(await functionsOf(id, transaction), transaction);
};

/**
 * Rejects a write after which an event function or assignment would end before it starts.
 * It has one time of its own and inherits the other. Call it after the write.
 * @throws ApiError validation_failed (422)
 */
export const checkOrder = async ({ field, id }: TimesOwner, { kysely }: Transaction): Promise<void> => {
  const place = await kysely
    .selectFrom('event_functions_view')
    .select('id')
    .where(field === 'event_id' ? 'event_id' : 'id', '=', id)
    .whereRef('end', '<=', 'start')
    .limit(1)
    .executeTakeFirst();
  const seat = await kysely
    .selectFrom('assignments_view')
    .select('id')
    .where(field, '=', id)
    .whereRef('end', '<=', 'start')
    .limit(1)
    .executeTakeFirst();
  if (!place && !seat) return;
  throw invalidField('end_before_start', 'end', undefined, !place && seat ? { assignment_id: seat.id } : {});
};

/**
 * Rejects a write that moves assignments to unworkable times or away from their open work.
 * Not if it is forced. Call it after the write and `storeEffectiveTimes`, which locks them. See docs/decisions.md, "Bookings and
 * places".
 * @param before the assignments before the write; one that only now books its employee counts as moved
 * @param field the field that the errors are reported on; default: the time that each of them concerns
 * @throws ApiError validation_failed (422)
 */
export const checkChangedTimes = async (
  scope: TimesOwner,
  before: readonly Timed[],
  transaction: Transaction,
  call: Call,
  field?: string,
): Promise<void> => {
  const known = new Map(before.map(seat => [seat.id, seat]));
  const moved = (await selectTimed(scope, transaction).execute()).flatMap((seat): Timed[] => {
    const earlier = known.get(seat.id);
    if (isMoved(earlier, seat)) return [seat];
    // Its times stay, and with them its work.
    return seat.books && !earlier?.books ? [{ ...seat, first: null, last: null }] : [];
  });
  // Most are locked already; the others were booked before the written record was locked.
  const ids = moved.filter(({ books }) => books).map(({ employee_id }) => employee_id);
  const employees = await lockEmployees(ids, transaction, { late: true });
  const { rulebook, force, apiUserId } = judgedAs(call);
  const judged = await judgeMoved({ moved, before: known, employees }, rulebook, transaction, field);
  const found = judged.map(({ seat, found }) => ({ ...seat, verdict: verdictOn(found, force) }));
  const errors = found.flatMap(({ id, verdict }) => verdict.errors.map(error => ({ ...error, assignment_id: id })));
  if (errors.length > 0) throw validationFailed(errors);
  const warned = found.flatMap(({ verdict }) => verdict.warned);
  warnOfBreaches(warned, call.principal.apiUser, transaction);
  const told = found
    .filter(({ verdict }) => verdict.overridden.length + verdict.warned.length > 0)
    .map(({ verdict, ...seat }) => entryOf(seat, 'time', null, verdict));
  await recordHistory(told, apiUserId, transaction);
};
