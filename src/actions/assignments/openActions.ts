import { ApiError } from '../../errors.ts';
import type { Json } from '../../http/reply.ts';
import type { Action } from '../action.ts';

/** GET /assignments/{id}/open-actions: what is left to do about the assignment. */
export const openActions: Action<'assignments_openActions'> = ({ id }, db) =>
  db.snapshot(async ({ kysely }) => {
    const row = await kysely
      .selectFrom('assignments_view')
      .select('open_actions')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found');
    return { status: 200, headers: {}, body: { kind: 'value', name: 'open_actions', value: row.open_actions as Json } };
  });
