import { sql } from 'kysely';
import type { FieldError } from '../../core/errors.ts';
import { settle } from '../../domain/pay/settle.ts';
import { ACCEPTED, decides, decisionErrors, noteDecision } from '../../domain/work/decide.ts';
import { freeze, lockAround, lockedAssignment } from '../../domain/work/lock.ts';
import { overlapErrors } from '../../domain/work/overlap.ts';
import { roomErrors } from '../../domain/work/room.ts';
import { timesErrors, timesOf } from '../../domain/work/times.ts';
import type { Rules } from '../../engine/rules.ts';

const FROM_PROPOSAL = 2;
const fixed = ['start', 'end', 'break_start', 'break_end'];

/** A proposal is decided once; accepting it makes a work time of it. */
export const workTimeProposals: Rules = {
  lock: lockAround('work_time_proposals'),
  check: async ({ before, after }, transaction): Promise<readonly FieldError[]> => {
    const assignment = await lockedAssignment((after ?? before)?.assignment_id ?? null, transaction);
    const frozen = freeze(assignment, before && after && before.status !== after.status ? 'status' : 'assignment_id');
    if (frozen.length > 0 || !after) return frozen;
    const times = timesOf(after);
    const errors = [...decisionErrors(before, after, fixed), ...timesErrors(times)];
    if (errors.length > 0 || after.status !== ACCEPTED || !decides(before, after)) return errors;
    const work = { id: null, assignment_id: assignment.id, ...times };
    return [
      ...(await roomErrors(assignment.id, 'status', transaction)),
      ...(await overlapErrors(assignment.employee_id, [work], 'status', transaction)),
    ];
  },
  follow: async ({ before, after }, transaction, call) => {
    if (!after || !decides(before, after)) return;
    const assignment = await lockedAssignment(after.assignment_id ?? null, transaction);
    await noteDecision('work_time_proposals', after, assignment, call.principal.apiUser.id, transaction);
    if (after.status !== ACCEPTED) return;
    await transaction.kysely
      .insertInto('work_times')
      .values({
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
