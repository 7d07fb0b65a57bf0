import { lockEmployee } from '../../domain/staffing/locks.ts';
import type { Rules } from '../../engine/rules.ts';

/** A busy date and a booking of its employee wait for each other: the later one knows the earlier. */
export const busyDates: Rules = {
  lock: async ({ body }, transaction) => lockEmployee(body.employee_id ?? null, transaction),
};
