import { sql } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';
import { ApiError } from '../../core/errors.ts';
import { type Action, ok } from '../../engine/action.ts';

/** The configurations of an assignment, which its view returns as a string. */
export const shownConfigurations = sql<Tables['assignments_view']['configurations']>`configurations::json`.as(
  'configurations',
);

/** GET /assignments/{id}/configurations: returns the assignment's configurations. */
export const readConfigurations: Action<'assignments_readConfigurations'> = ({ id }, db) =>
  db.snapshot(async ({ kysely }) => {
    const row = await kysely
      .selectFrom('assignments_view')
      .select(shownConfigurations)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found');
    return ok(row.configurations);
  });
