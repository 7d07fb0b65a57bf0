import { idsOf } from '../../core/ids.ts';
import { oneOf } from '../../db/ids.ts';
import { parsedConfigurations } from '../../domain/staffing/configurations.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/configurations: lists the configurations of several assignments. */
export const listConfigurations: Action<'assignments_listConfigurations'> = ({ parameters }, db) =>
  db.snapshot(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('assignments_view')
      .select(parsedConfigurations)
      .where('id', '=', oneOf(idsOf(parameters)))
      .orderBy('id')
      .execute();
    return ok(rows.map(({ configurations }) => configurations));
  });
