import { sql } from 'kysely';
import { newId } from '../../db/ids.ts';
import { settle } from '../../domain/pay/settle.ts';
import { ACCEPTED, decides, decisionErrors, recordDecision } from '../../domain/work/decide.ts';
import { freeze, lockAround, lockedAssignment, type WorkedAssignment } from '../../domain/work/lock.ts';
import { overlapErrors } from '../../domain/work/overlap.ts';
import { roomErrors } from '../../domain/work/room.ts';
import { timesErrors, timesOf } from '../../domain/work/times.ts';
import type { Rules } from '../../engine/rules.ts';

const FROM_PROPOSAL = 2;
const fixed = ['start', 'end', 'break_start', 'break_end'];

/** A proposal is decided once; accepting it creates a work time. */
export const workTimeProposals: Rules<WorkedAssignment> = {
  lock: lockAround('work_time_proposals'),
  check: async ({ before, after }, transaction) => {
    const assignment = await lockedAssignment((after ?? before)?.assignment_id ?? null, transaction);
    const frozen = freeze(assignment, before && after && before.status !== after.status ? 'status' : 'assignment_id');
    if (frozen.length > 0 || !after) return { errors: frozen };
    const times = timesOf(after);
    const errors = [...decisionErrors(before, after, fixed), ...timesErrors(times)];
    if (errors.length === 0 && after.status === ACCEPTED && decides(before, after)) {
      const work = { id: null, assignment_id: assignment.id, ...times };
      errors.push(...(await roomErrors(assignment.id, 'status', transaction)));
      errors.push(...(await overlapErrors(assignment.employee_id, [work], 'status', transaction)));
    }
    return { errors, found: assignment };
  },
  follow: async ({ before, after }, transaction, call, assignment) => {
    if (!after || !assignment || !decides(before, after)) return;
    await recordDecision('work_time_proposals', after, assignment, call.principal.apiUser.id, transaction);
    if (after.status !== ACCEPTED) return;
    await transaction.kysely
      .insertInto('work_times')
      .values({
        id: await newId(transaction, 'work_times'),
        event_function_employee_id: assignment.id,
        ...timesOf(after),
        source: FROM_PROPOSAL,
        is_approved: true,
        approved_on: sql<string>`date_trunc('second', now())`,
      })
      .execute();
    await settle([assignment.id], transaction);
  },
};
