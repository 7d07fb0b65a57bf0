import { denyUpcoming } from '../../domain/staffing/change-status.ts';
import { touchAssignments } from '../../domain/staffing/heirs.ts';
import type { Rules } from '../../engine/rules.ts';

/** Assignments inherit the wage profile of their employee; those of one who is forgotten, and that have not begun, are denied. */
export const employees: Rules = {
  forget: (id, transaction, { principal }) => denyUpcoming(id, principal.apiUser.id, transaction),
  follow: async ({ before, after }, transaction) => {
    if (before && after) await touchAssignments('employees', before, after, transaction);
  },
};
