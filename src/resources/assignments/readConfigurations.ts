import { ApiError } from '../../core/errors.ts';
import { parsedConfigurations } from '../../domain/staffing/configurations.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/{id}/configurations: returns the assignment's configurations. */
export const readConfigurations: Action<'assignments_readConfigurations'> = ({ id }, db) =>
  db.snapshot(async ({ kysely }) => {
    const row = await kysely
      .selectFrom('assignments_view')
      .select(parsedConfigurations)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found');
    return ok(row.configurations);
  });
