import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { judgedAs, type Rulebook } from '../../domain/rules/rulebook.ts';
import { warnOfBreaches } from '../../domain/rules/warn.ts';
import { countPlaces } from '../../domain/staffing/filled-places.ts';
import { recordHistory } from '../../domain/staffing/history.ts';
import { newSeat } from '../../domain/staffing/invite.ts';
import { takeStaffing } from '../../domain/staffing/locked-staffing.ts';
import { staffingLocks } from '../../domain/staffing/locks.ts';
import { storeSteps } from '../../domain/staffing/steps.ts';
import { storeEffectiveTimes } from '../../domain/staffing/times/effective.ts';
import {
  advance,
  frozen,
  rejection,
  type Seat,
  type Status,
  type StatusPath,
} from '../../domain/staffing/transition.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/** The staffing rules for creating, changing and deleting single assignments. */
export const assignments: Rules<Advanced> = {
  lock: async ({ id, body }, transaction) => {
    if (id !== null) void transaction.defer(...staffingLocks({ assignments: [id] }));
    else if (typeof body.employee_id === 'number' && typeof body.event_function_id === 'number')
      void transaction.defer(...staffingLocks({ employees: [body.employee_id], functions: [body.event_function_id] }));
  },
  check: async ({ before, after }, transaction, call) => {
    if (!after) return { errors: frozenBy(before) };
    if (before?.status === after.status) return { errors: [] };
    const { rulebook, force } = judgedAs(call);
    const seat = await seatOf(before, after, rulebook, transaction);
    const steps = advance(seat, after.status as Status, force);
    if (seat.worker.is_forgotten && steps.errors.length > 0) throw rejection(steps.errors);
    const isRepeated = !before && (await isInFunction(after, transaction));
    const repeated = isRepeated ? [fieldError('already_in_function', 'employee_id')] : [];
    return { errors: [...steps.errors, ...repeated], found: { seat, steps } };
  },
  follow: async ({ before, after }, transaction, call, found) => {
    const apiUserId = call.principal.apiUser.id;
    if (before && !after) await recordDeletion(before, apiUserId, transaction);
    if (!after || !found) return;
    warnOfBreaches(found.steps.warned, call.principal.apiUser, transaction);
    const id = Number(after.id);
    if (!before) storeEffectiveTimes({ field: 'id', id }, transaction);
    const remarks = after.remarks ?? null;
    const data = remarks === (before?.remarks ?? null) ? null : { remarks };
    await storeSteps([{ id, ...found, from: statusOf(before), data }], apiUserId, transaction);
  },
};

/** The assignment and what becomes of it. */
interface Advanced {
  readonly seat: Seat;
  readonly steps: StatusPath;
}

/** Approved assignments, and those whose correction is open, cannot be deleted. */
const frozenBy = (assignment: Values | null): readonly FieldError[] =>
  frozen(
    {
      is_approved: assignment?.is_approved === 1,
      is_paid: (assignment?.paid_on ?? null) !== null,
      correction: assignment?.correction ?? null,
    },
    'is_approved',
  );

const recordDeletion = async (before: Values, apiUserId: number, transaction: Transaction): Promise<void> => {
  const from = statusOf(before);
  countPlaces([{ event_function_id: Number(before.event_function_id), from, to: null }], transaction);
  const { employee_id = null, event_function_id = null } = before;
  const subject = { assignment_id: Number(before.id), employee_id: Number(employee_id) };
  const entry = { ...subject, action: 'deleted', from_status: from, to_status: null } as const;
  await recordHistory([{ ...entry, data: { employee_id, event_function_id } }], apiUserId, transaction);
};

const statusOf = (assignment: Values | null): Status | null => (assignment ? (assignment.status as Status) : null);

/** Returns the assignment before the write. */
const seatOf = async (
  before: Values | null,
  after: Values,
  rulebook: Rulebook,
  transaction: Transaction,
): Promise<Seat> => {
  if (before) {
    const id = Number(before.id);
    const seat = (await takeStaffing({ assignments: [id] }, rulebook, transaction)).seats.get(id);
    if (!seat) throw new Error('An assignment does not exist although its row is locked.');
    return { ...seat, status: statusOf(before) };
  }
  const [employeeId, functionId] = [Number(after.employee_id), Number(after.event_function_id)];
  const targets = { employees: [employeeId], functions: [functionId] };
  const { workers, places } = await takeStaffing(targets, rulebook, transaction);
  const [worker, place] = [workers.get(employeeId), places.get(functionId)];
  if (!worker || !place) throw new Error('An assignment refers to records that do not exist.');
  return newSeat(worker, place);
};

const isInFunction = async (after: Values, { kysely }: Transaction): Promise<boolean> => {
  const row = await kysely
    .selectFrom('assignments')
    .select('id')
    .where('event_function_id', '=', Number(after.event_function_id))
    .where('employee_id', '=', Number(after.employee_id))
    .executeTakeFirst();
  return row !== undefined;
};
