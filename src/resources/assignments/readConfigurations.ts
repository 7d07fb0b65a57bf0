import { ApiError } from '../../core/errors.ts';
import type { Json } from '../../core/reply.ts';
import type { Action } from '../../engine/action.ts';

/** GET /assignments/{id}/configurations: what the employee is asked for. */
export const readConfigurations: Action<'assignments_readConfigurations'> = ({ id }, db) =>
  db.snapshot(async ({ kysely }) => {
    const row = await kysely
      .selectFrom('assignments_view')
      .select('configurations')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found');
    return {
      status: 200,
      headers: {},
      body: { kind: 'value', name: 'configurations', value: row.configurations as Json },
    };
  });
