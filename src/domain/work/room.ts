import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';

/** Maximum number of work times per assignment: every change of one processes all of them. */
const LIMIT = 500;

/** Returns the error if the assignment, which is locked, has the maximum number of work times. */
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
  return last ? [fieldError('too_many_items', field, `An assignment has at most ${LIMIT} work times.`)] : [];
};
