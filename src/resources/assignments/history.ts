import { ApiError } from '../../core/errors.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/{id}/history: lists the history, also of a deleted assignment, oldest first. */
export const history: Action<'assignments_history'> = ({ id }, db) =>
  db.snapshot(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('assignment_history')
      .select(['id', 'assignment_id', 'employee_id', 'action', 'from_status', 'to_status', 'data', 'overridden'])
      .select(['api_user_id', 'automation_id', 'created_at'])
      .where('assignment_id', '=', id)
      .orderBy('id')
      .execute();
    const present = kysely.selectFrom('assignments').select('id').where('id', '=', id);
    if (rows.length === 0 && !(await present.executeTakeFirst())) throw new ApiError('not_found');
    return ok(rows);
  });
