import { touchAssignments } from '../../domain/staffing/heirs.ts';
import type { Rules } from '../../engine/rules.ts';

/** Assignments inherit the wage profile of their employee. */
export const employees: Rules = {
  follow: async ({ before, after }, transaction) => {
    if (before && after) await touchAssignments('employees', before, after, transaction);
  },
};
