import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';

/** Assignments whose effective times one record decides: those of an event, those of an event function, or one by its id. */
export interface Scope {
  readonly field: 'event_id' | 'event_function_id' | 'id';
  readonly id: number;
}

const owners = { event_id: 'f.event_id', event_function_id: 'a.event_function_id', id: 'a.id' } as const;

/**
 * Stores when those assignments take place: by their own times, or else the event function's, or else the event's. They are stored
 * to be found by an index; whoever changes one of the three calls this, with a lock on the event, so that no two changes miss each
 * other. What is approved stays as it is.
 */
export const storeEffectiveTimes = async ({ field, id }: Scope, { kysely }: Transaction): Promise<void> => {
  const start = sql<string>`coalesce(a.start, f.start, e.start)`;
  const end = sql<string>`coalesce(a."end", f."end", e."end")`;
  await kysely
    .updateTable('assignments as a')
    .from('event_functions as f')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .set({ effective_start: start, effective_end: end })
    .whereRef('f.id', '=', 'a.event_function_id')
    .where(owners[field], '=', id)
    .where('a.is_approved', '=', false)
    .where(sql<boolean>`(a.effective_start, a.effective_end) is distinct from (${start}, ${end})`)
    .execute();
};
