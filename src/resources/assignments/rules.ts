import { isOn } from '../../core/call/switch.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { storeEffectiveTimes } from '../../domain/staffing/effective-times.ts';
import { lockStaffing } from '../../domain/staffing/locks.ts';
import { countPlaces, recordHistory } from '../../domain/staffing/record.ts';
import { lockSeats, takeStaffing } from '../../domain/staffing/seats.ts';
import { frozen, judge, type Seat, type Status, type Verdict } from '../../domain/staffing/transition.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/** The staffing rules for creating, changing and deleting single assignments. */
export const assignments: Rules<Verdict> = {
  lock: async ({ id, body }, transaction) => {
    if (id !== null) await lockStaffing({ assignments: [id] }, transaction);
    else if (typeof body.employee_id === 'number' && typeof body.event_function_id === 'number')
      await lockStaffing({ employees: [body.employee_id], functions: [body.event_function_id] }, transaction);
  },
  check: async ({ before, after }, transaction, call) => {
    if (!after) return { errors: frozenBy(before) };
    if (before?.status === after.status) return { errors: [] };
    const seat = await seatOf(before, after, transaction);
    const verdict = judge(seat, after.status as Status, isOn(call.parameters, 'force'));
    const isRepeated = !before && (await isInFunction(after, transaction));
    const repeated = isRepeated ? [fieldError('already_in_function', 'employee_id')] : [];
    return { errors: [...verdict.errors, ...repeated], found: verdict };
  },
  follow: async ({ before, after }, transaction, call, found) => {
    const [from, to] = [statusOf(before), statusOf(after)];
    if (from === to) return;
    if (!before && after) await storeEffectiveTimes({ field: 'id', id: Number(after.id) }, transaction);
    const record = after ?? before;
    await countPlaces([{ event_function_id: Number(record?.event_function_id), from, to }], transaction);
    if (!after || to === null) return;
    const action = before ? ('status' as const) : ('created' as const);
    const overridden = found?.overridden ?? [];
    const remarks = after.remarks ?? null;
    const data = remarks === (before?.remarks ?? null) ? null : { remarks };
    const entry = { assignment_id: Number(after.id), action, from_status: from, to_status: to, data, overridden };
    await recordHistory([entry], call.principal.apiUser.id, transaction);
  },
};

/** Approved assignments cannot be deleted. */
const frozenBy = (assignment: Values | null): readonly FieldError[] =>
  frozen(
    { is_approved: assignment?.is_approved === 1, is_paid: (assignment?.paid_on ?? null) !== null },
    'is_approved',
  );

const statusOf = (assignment: Values | null): Status | null => (assignment ? (assignment.status as Status) : null);

/** Returns the assignment before the write. */
const seatOf = async (before: Values | null, after: Values, transaction: Transaction): Promise<Seat> => {
  if (before) {
    const seat = (await lockSeats([Number(before.id)], transaction)).get(Number(before.id));
    if (!seat) throw new Error('An assignment does not exist although its row is locked.');
    return { ...seat, status: statusOf(before) };
  }
  const [employeeId, functionId] = [Number(after.employee_id), Number(after.event_function_id)];
  const { workers, places } = await takeStaffing({ employees: [employeeId], functions: [functionId] }, transaction);
  const [worker, place] = [workers.get(employeeId), places.get(functionId)];
  if (!worker || !place) throw new Error('An assignment refers to records that do not exist.');
  const { start, end } = place;
  return { id: null, status: null, start, end, is_approved: false, is_paid: false, worker, place };
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
