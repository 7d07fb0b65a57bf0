import { findRepeated, keepsPlace, lockAssignment, orderErrors } from '../../domain/work/stamps.ts';
import type { Rules } from '../../engine/rules.ts';

/** Livestamps come in the order of check-ins; one that comes again is the one that is there. */
export const livestamps: Rules = {
  known: (values, transaction) => findRepeated('livestamps', values, transaction),
  check: async (change, transaction) => {
    if (keepsPlace(change)) return { errors: [] };
    const assignment = await lockAssignment(Number((change.after ?? change.before)?.assignment_id), transaction);
    return { errors: assignment ? await orderErrors('livestamps', change, assignment.status, transaction) : [] };
  },
};
