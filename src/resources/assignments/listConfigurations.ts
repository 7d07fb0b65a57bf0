import { sql } from 'kysely';
import { idsOf } from '../../core/ids.ts';
import { literal } from '../../db/ids.ts';
import { parsedConfigurations } from '../../domain/staffing/configurations.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/configurations: lists the configurations of several assignments. */
export const listConfigurations: Action<'assignments_listConfigurations'> = ({ parameters }, db) =>
  db.snapshot(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('assignments_view')
      .select(parsedConfigurations)
      .where('id', '=', sql<number>`any(${literal(idsOf(parameters))}::bigint[])`)
      .orderBy('id')
      .execute();
    return ok(rows.map(({ configurations }) => configurations));
  });
