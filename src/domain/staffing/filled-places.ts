import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import { isHolding } from './transition.ts';

/** A change of an assignment's status in an event function; null: no assignment before or after. */
export interface Shift {
  readonly event_function_id: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** Ids of event functions and by how much their numbers of filled places change, as array literals. */
interface Deltas {
  readonly ids: string;
  readonly deltas: string;
}

const unnested = ({ ids, deltas }: Deltas) =>
  sql<{ id: number; delta: number }>`unnest(${ids}::bigint[], ${deltas}::integer[])`.as<'d'>(sql`d(id, delta)`);

const countingFunctions = prepare((db, changed: Deltas) =>
  db
    .updateTable('event_functions as f')
    .from(unnested(changed))
    .set({ holding: sql<number>`f.holding + d.delta` })
    .whereRef('f.id', '=', 'd.id'),
);

const countingEvents = prepare((db, changed: Deltas) =>
  db
    .updateTable('events as e')
    .from(
      db
        .selectFrom(unnested(changed))
        .innerJoin('event_functions as f', 'f.id', 'd.id')
        .select(({ fn }) => ['f.event_id', fn.sum<number>('d.delta').as('delta')])
        .groupBy('f.event_id')
        .as('s'),
    )
    .set({ holding: sql<number>`e.holding + s.delta` })
    .whereRef('e.id', '=', 's.event_id'),
);

/** Updates the filled places of locked event functions and events, with the next trip. */
export const countPlaces = (shifts: readonly Shift[], transaction: Transaction): void => {
  const deltas = new Map<number, number>();
  for (const { event_function_id: id, from, to } of shifts) {
    const delta = Number(isHolding(to)) - Number(isHolding(from));
    if (delta !== 0) deltas.set(id, (deltas.get(id) ?? 0) + delta);
  }
  const changed = [...deltas].filter(([, delta]) => delta !== 0);
  if (changed.length === 0) return;
  const values = {
    ids: literal(changed.map(([id]) => id)),
    deltas: literal(changed.map(([, delta]) => delta)),
  };
  void transaction.defer(countingFunctions(values), countingEvents(values));
};
