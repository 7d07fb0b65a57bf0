import { isOn } from '../../core/call/switch.ts';
import { newId } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { settle } from '../../domain/pay/settle.ts';
import { ACCEPTED, decides, decisionErrors, recordDecision, requireNotAccepted } from '../../domain/work/decide.ts';
import { freeze, lockAround, lockedAssignment, type WorkedAssignment } from '../../domain/work/lock.ts';
import { originErrors } from '../../domain/work/origin.ts';
import { overlapErrors } from '../../domain/work/overlap.ts';
import { isTimed, judgePlausibility } from '../../domain/work/plausible.ts';
import { roomErrors } from '../../domain/work/room.ts';
import { timesErrors, timesOf } from '../../domain/work/times.ts';
import type { Rules } from '../../engine/rules.ts';

const FROM_PROPOSAL = 2;
/** The source of proposals that check-ins made, and of the work times created from them. */
const FROM_CHECKINS = 3;
const fixed = ['start', 'end', 'break_start', 'break_end'];

/** The assignment of a proposal, and which of its errors are overridden. */
interface FoundWork {
  readonly assignment: WorkedAssignment;
  readonly overridden: readonly string[];
}

/** A proposal is plausible and is decided once; accepting it creates a work time. */
export const workTimeProposals: Rules<FoundWork> = {
  lock: lockAround('work_time_proposals'),
  check: async ({ before, after }, transaction, call) => {
    const assignment = await lockedAssignment((after ?? before)?.assignment_id ?? null, transaction);
    const frozen = freeze(assignment, before && after && before.status !== after.status ? 'status' : 'assignment_id');
    if (frozen.length === 0 && !after) requireNotAccepted(before, 'work time');
    if (frozen.length > 0 || !after) return { errors: frozen };
    const times = timesOf(after);
    const accepts = after.status === ACCEPTED && decides(before, after);
    const verdict =
      accepts || isTimed(before, after)
        ? judgePlausibility(assignment, 'assignment_id', times, isOn(call.parameters, 'force'))
        : { errors: [], overridden: [] };
    const errors = [
      ...decisionErrors(before, after, fixed),
      ...timesErrors(times),
      ...originErrors(before, after, [FROM_CHECKINS]),
      ...verdict.errors,
    ];
    if (errors.length === 0 && accepts) {
      const work = { id: null, assignment_id: assignment.id, ...times };
      errors.push(...(await roomErrors(assignment.id, 'status', transaction)));
      errors.push(...(await overlapErrors(assignment.employee_id, [work], 'status', transaction)));
    }
    return { errors, found: { assignment, overridden: verdict.overridden } };
  },
  follow: async ({ before, after }, transaction, call, found) => {
    if (!after || !found || !decides(before, after)) return;
    const { assignment } = found;
    await recordDecision('work_time_proposals', after, found, call.principal.apiUser.id, transaction);
    if (after.status !== ACCEPTED) return;
    await transaction.kysely
      .insertInto('work_times')
      .values({
        id: await newId(transaction, 'work_times'),
        event_function_employee_id: assignment.id,
        event_function_id: assignment.event_function_id,
        ...timesOf(after),
        source: after.source === FROM_CHECKINS ? FROM_CHECKINS : FROM_PROPOSAL,
        is_approved: true,
        approved_on: now,
      })
      .execute();
    await settle([assignment.id], transaction);
  },
};
