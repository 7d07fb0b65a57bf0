import { denyUpcoming } from '../../domain/staffing/change-status.ts';
import { touchAssignments } from '../../domain/staffing/heirs.ts';
import type { Rules } from '../../engine/rules.ts';

/** Assignments inherit their employee's wage profile; future ones of forgotten employees are denied. */
export const employees: Rules = {
  independent: true,
  forget: (id, transaction, { principal }) => denyUpcoming(id, principal.apiUser.id, transaction),
  follow: async ({ before, after }, transaction) => {
    if (before && after) await touchAssignments('employees', before, after, transaction);
  },
};
