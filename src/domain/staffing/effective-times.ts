import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';

/**
 * The assignments whose effective times depend on one record: an event, an event function, or the assignment itself.
 */
export interface Scope {
  readonly field: 'event_id' | 'event_function_id' | 'id';
  readonly id: number;
}

const owners = { event_id: 'f.event_id', event_function_id: 'a.event_function_id', id: 'a.id' } as const;

/**
 * Stores the effective times of assignments: their own, or else the event function's, or else the event's. They are
 * stored so that an index can be used. Call it after changing any of the three, with the event locked, so that
 * concurrent changes see each other. Approved assignments stay unchanged.
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
