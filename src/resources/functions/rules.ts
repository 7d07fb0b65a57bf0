import { touchAssignments } from '../../domain/staffing/heirs.ts';
import { lockFunctions } from '../../domain/staffing/locks.ts';
import type { Rules } from '../../engine/rules.ts';

/** Assignments inherit the wage profile of their function. */
export const functions: Rules = {
  independent: true,
  follow: async ({ before, after }, transaction) => {
    if (!before || !after) return;
    // Assignments that are being made of them are then seen.
    if (before.wage_profile_id !== after.wage_profile_id) {
      const { kysely } = transaction;
      const places = kysely.selectFrom('event_functions').select('id').where('function_id', '=', Number(after.id));
      const ids = (await places.execute()).map(({ id }) => id);
      await lockFunctions(ids, transaction);
    }
    await touchAssignments('functions', before, after, transaction);
  },
};
