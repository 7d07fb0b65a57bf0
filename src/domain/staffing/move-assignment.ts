import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Access } from '../../core/resource/access.ts';
import type { Transaction } from '../../db/database.ts';
import { now } from '../../db/now.ts';
import { coveredByAnswers } from '../availability/availability-answers.ts';
import type { JudgedWrite } from '../rules/rulebook.ts';
import { warnOfBreaches } from '../rules/warn.ts';
import { selectRecorded } from '../work/recorded.ts';
import { countPlaces } from './filled-places.ts';
import { entryOf, recordHistory } from './history.ts';
import { followInherited } from './inherited.ts';
import { takeStaffing } from './locked-staffing.ts';
import { isHolding, judgeMove } from './transition.ts';

/** A requested move of an assignment to another event function. */
export interface Move extends JudgedWrite {
  readonly id: number;
  readonly event_function_id: number;
  /** Of the API user who is warned. */
  readonly access: Access;
}

const FIELD = 'event_function_id';

/**
 * Moves an assignment to another event function, under the rules of a new assignment there.
 * It keeps its status, remarks and history; its own times are removed, so that it takes place at those of the event function. Recorded
 * work stays where it was done. See docs/decisions.md, "Bookings and places".
 * @returns the errors; null if the assignment does not exist
 */
export const moveAssignment = async (
  { id, event_function_id, force, rulebook, apiUserId, access }: Move,
  transaction: Transaction,
): Promise<readonly FieldError[] | null> => {
  const targets = { assignments: [id], functions: [event_function_id] };
  const { seats, places } = await takeStaffing(targets, rulebook, transaction);
  const [seat, place] = [seats.get(id), places.get(event_function_id)];
  if (!seat) return null;
  if (!place)
    return [fieldError('reference_not_found', FIELD, `${FIELD}: there is no event function ${event_function_id}.`)];
  if (place.id === seat.place.id) return [];
  const { status, worker } = seat;
  const verdict = judgeMove(seat, place, force);
  const { errors: obstacles, times } = await readObstacles(id, worker.id, event_function_id, transaction);
  const errors = [...verdict.errors, ...obstacles];
  if (errors.length > 0 || status === null) return errors;
  const { start, end } = place;
  const covered = isHolding(status)
    ? await coveredByAnswers([{ id, employee_id: worker.id, start, end }], transaction)
    : null;
  const told = followInherited([id], transaction);
  await transaction.kysely
    .updateTable('assignments')
    .set({
      event_function_id,
      start: null,
      end: null,
      break_start: null,
      break_end: null,
      effective_start: start,
      effective_end: end,
      ...(covered && { auto_assigned: false, assigned_by_availability: covered.has(id) }),
      updated_at: now,
    })
    .where('id', '=', id)
    .execute();
  told();
  const left = { event_function_id: seat.place.id, from: status, to: null };
  countPlaces([left, { event_function_id, from: null, to: status }], transaction);
  warnOfBreaches(verdict.warned, access, transaction);
  const data = { from_event_function_id: seat.place.id, event_function_id, ...times };
  await recordHistory([entryOf(seat, 'moved', data, verdict)], apiUserId, transaction);
  return [];
};

/** Reads what prevents an employee's move to an event function, and the assignment's own times. */
const readObstacles = async (id: number, employeeId: number, eventFunctionId: number, transaction: Transaction) => {
  const { kysely } = transaction;
  const [present, recorded, [own = {}]] = await transaction.run(
    kysely
      .selectFrom('assignments')
      .select('id')
      .where('event_function_id', '=', eventFunctionId)
      .where('employee_id', '=', employeeId),
    selectRecorded({ field: 'id', id }, transaction),
    kysely.selectFrom('assignments').select(['start', 'end', 'break_start', 'break_end']).where('id', '=', id),
  );
  return {
    errors: [
      ...present.map(() => fieldError('already_in_function', FIELD)),
      ...recorded.map(() => fieldError('work_recorded', FIELD)),
    ],
    times: Object.fromEntries(Object.entries(own).filter(([, time]) => time !== null)),
  };
};
