import { recordActivity } from '../../domain/staffing/active.ts';
import { lockAround } from '../../domain/work/lock.ts';
import { findRepeated, keepsPlace, orderErrors, stampedAssignment } from '../../domain/work/stamps.ts';
import type { Rules } from '../../engine/rules.ts';

/** Livestamps have the same order as check-ins; a repeated one returns the existing record. */
export const livestamps: Rules = {
  lock: lockAround('livestamps'),
  known: (values, transaction) => findRepeated('livestamps', values, transaction),
  check: async (change, transaction) => {
    if (keepsPlace(change)) return { errors: [] };
    const id = Number((change.after ?? change.before)?.assignment_id);
    const assignment = await stampedAssignment('livestamps', id, transaction);
    return { errors: assignment ? orderErrors(change, assignment) : [] };
  },
  follow: async ({ before, after }, transaction) => {
    if (!before && after) recordActivity([Number(after.assignment_id)], transaction);
  },
};
