import { lockEmployee } from '../../domain/staffing/locks.ts';
import type { Rules } from '../../engine/rules.ts';

/** A busy date and a booking of its employee come one after the other, so that the later one knows of the earlier. */
export const busyDates: Rules = {
  lock: async ({ body }, transaction) => lockEmployee(body.employee_id ?? null, transaction),
};
