import { sql } from 'kysely';
import { idsOf } from '../../core/ids.ts';
import { literal } from '../../db/ids.ts';
import { type Action, ok } from '../../engine/action.ts';
import { shownConfigurations } from './readConfigurations.ts';

/** GET /assignments/configurations: lists the configurations of several assignments. */
export const listConfigurations: Action<'assignments_listConfigurations'> = ({ parameters }, db) =>
  db.snapshot(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('assignments_view')
      .select(shownConfigurations)
      .where('id', '=', sql<number>`any(${literal(idsOf(parameters))}::bigint[])`)
      .orderBy('id')
      .execute();
    return ok(rows.map(({ configurations }) => configurations));
  });
