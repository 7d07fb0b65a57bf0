import { sql } from 'kysely';
import { type Action, ok } from '../../engine/action.ts';

/** GET /events/gaps: lists functions with open places in active events that have not ended. */
export const gaps: Action<'events_gaps'> = (_, db) =>
  db.snapshot(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('event_functions as f')
      .innerJoin('events as e', 'e.id', 'f.event_id')
      .innerJoin('functions as t', 't.id', 'f.function_id')
      .leftJoin('assignments as a', join => join.onRef('a.event_function_id', '=', 'f.id').on('a.status', '=', 7))
      .select(['f.event_id', 'e.name as event_name', 'f.id as event_function_id', 't.name as function'])
      .select(({ fn }) => [fn.coalesce('f.start', 'e.start').as('start'), fn.coalesce('f.end', 'e.end').as('end')])
      .select(['f.quantity as required', 'f.holding'])
      .select(({ fn }) => fn.count<number>('a.id').as('confirmed'))
      .where('e.status', '=', 2)
      .where('e.end', '>', sql<string>`now()`)
      .whereRef('f.holding', '<', 'f.quantity')
      .groupBy([
        'f.event_id',
        'e.name',
        'f.id',
        't.name',
        'f.start',
        'e.start',
        'f.end',
        'e.end',
        'f.quantity',
        'f.holding',
      ])
      .orderBy('start')
      .orderBy('f.id')
      .execute();
    const value = rows.map(({ event_name, ...row }) => ({
      ...row,
      'event.name': event_name,
      open: row.required - row.holding,
    }));
    return ok(value);
  });
