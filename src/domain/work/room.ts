import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';

/** Work times of one assignment at most: so many are gone through with every change of one of them. */
const LIMIT = 500;

/** What stands against one more work time of the assignment, which is locked. */
export const roomErrors = async (
  assignmentId: number,
  field: string,
  { kysely }: Transaction,
): Promise<readonly FieldError[]> => {
  const last = await kysely
    .selectFrom('work_times')
    .select('id')
    .where('event_function_employee_id', '=', assignmentId)
    .offset(LIMIT - 1)
    .limit(1)
    .executeTakeFirst();
  return last ? [fieldError('too_many_items', field, `An assignment has ${LIMIT} work times at most.`)] : [];
};
