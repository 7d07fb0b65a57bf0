import { touchAssignments } from '../../domain/staffing/heirs.ts';
import type { Rules } from '../../engine/rules.ts';

/** Assignments inherit the wage profile of their function. */
export const functions: Rules = {
  follow: async ({ before, after }, transaction) => {
    if (before && after) await touchAssignments('functions', before, after, transaction);
  },
};
