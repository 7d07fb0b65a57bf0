import { isOn } from '../../core/call/switch.ts';
import type { Transaction } from '../../db/database.ts';
import { now } from '../../db/now.ts';
import { settle } from '../../domain/pay/settle.ts';
import { freeze, lockedAssignment, lockWork } from '../../domain/work/lock.ts';
import { originErrors } from '../../domain/work/origin.ts';
import { overlapErrors } from '../../domain/work/overlap.ts';
import { isTimed, judgePlausibility } from '../../domain/work/plausible.ts';
import { roomErrors } from '../../domain/work/room.ts';
import { timesErrors, timesOf } from '../../domain/work/times.ts';
import type { Rules } from '../../engine/rules.ts';

/** The sources of work times that accepted proposals make. */
const FROM_PROPOSALS = [2, 3];

/** Work times are valid, approved ones never overlap, and wages follow them until the approval. */
export const workTimes: Rules = {
  lock: async ({ id, body }, transaction) => {
    const assignmentId = id === null ? body.event_function_employee_id : await assignmentOf(id, transaction);
    lockWork([assignmentId ?? null], transaction);
  },
  check: async ({ before, after }, transaction, call) => {
    const record = after ?? before;
    const assignment = await lockedAssignment(record?.event_function_employee_id ?? null, transaction);
    const frozen = freeze(assignment, 'event_function_employee_id');
    if (frozen.length > 0 || !after) return { errors: frozen };
    const times = timesOf(after);
    const errors = [...timesErrors(times), ...originErrors(before, after, FROM_PROPOSALS)];
    if (isTimed(before, after)) {
      const force = isOn(call.parameters, 'force');
      errors.push(...judgePlausibility(assignment, 'event_function_employee_id', times, force).errors);
    }
    if (!before) errors.push(...(await roomErrors(assignment.id, 'event_function_employee_id', transaction)));
    if (errors.length === 0 && after.is_approved === 1) {
      const work = { id: before ? Number(before.id) : null, assignment_id: assignment.id, ...times };
      errors.push(...(await overlapErrors(assignment.employee_id, [work], 'start', transaction)));
    }
    return { errors, copied: { event_function_id: assignment.event_function_id } };
  },
  follow: async ({ before, after }, transaction) => {
    if (after && Number(after.is_approved) !== Number(before?.is_approved ?? 0)) {
      await transaction.kysely
        .updateTable('work_times')
        .set({ approved_on: after.is_approved === 1 ? now : null })
        .where('id', '=', Number(after.id))
        .execute();
    }
    await settle([Number((after ?? before)?.event_function_employee_id)], transaction);
  },
};

const assignmentOf = async (id: number, { kysely }: Transaction): Promise<number | undefined> => {
  const query = kysely.selectFrom('work_times').select('event_function_employee_id as assignment_id');
  return (await query.where('id', '=', id).executeTakeFirst())?.assignment_id;
};
