import { sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { prepare } from '../../db/prepared.ts';
import { coveredByAnswers } from '../availability/availability-answers.ts';
import { recordActivity } from './active.ts';
import { withBreaches } from './checks.ts';
import { countPlaces } from './filled-places.ts';
import { type HistoryEntry, recordHistory } from './history.ts';
import { isApplied, isHolding, type Seat, type Status, type StatusPath } from './transition.ts';

/** An assignment that has been stored with the first status of its steps. */
export interface StoredPath {
  readonly id: number;
  readonly seat: Seat;
  /** The status before; null: a new assignment. */
  readonly from: Status | null;
  readonly steps: StatusPath;
  /** The further values that the request has changed. */
  readonly data: Json;
}

/**
 * Does what follows from new assignments and changes of status.
 * Automatic assignments, how an assignment that enters a place got it, the numbers of filled places, the history and automations, the activity of those
 * who apply. The number of statements does not depend on the number of assignments.
 */
export const storeSteps = async (
  stored: readonly StoredPath[],
  apiUserId: number | null,
  transaction: Transaction,
): Promise<void> => {
  const placed = stored.filter(({ from, steps }) => !isHolding(from) && isHolding(lastOf(steps)));
  await place(placed, transaction);
  const shifts = stored.map(({ seat, from, steps }) => ({
    event_function_id: seat.place.id,
    from,
    to: lastOf(steps),
  }));
  countPlaces(shifts, transaction);
  const applied = stored.filter(({ from, steps }) => from === null && isApplied(steps.path[0] ?? null));
  const ids = applied.map(({ id }) => id);
  if (ids.length > 0) recordActivity(ids, transaction);
  await recordHistory(stored.flatMap(entriesOf), apiUserId, transaction);
};

/** Returns the status after the steps. */
export const lastOf = ({ path }: StatusPath): Status => {
  const last = path.at(-1);
  if (last === undefined) throw new Error('A change that has errors is stored.');
  return last;
};

const entriesOf = ({ id, from, steps, data }: StoredPath): HistoryEntry[] => {
  const { path, overridden } = steps;
  return path.map((to, index): HistoryEntry => {
    const automatic = index > 0;
    const own = automatic ? { auto_assigned: 1 } : data;
    return {
      assignment_id: id,
      action: from === null && !automatic ? 'created' : 'status',
      from_status: automatic ? (path[index - 1] as Status) : from,
      to_status: to,
      // The last step is the one that books.
      data: index === path.length - 1 ? withBreaches(own, steps) : own,
      overridden: automatic ? [] : overridden,
      automatic,
    };
  });
};

/** How assignments got their places, by columns as array literals. */
interface Placing {
  readonly ids: string;
  readonly statuses: string;
  readonly auto: string;
  readonly available: string;
}

const placing = prepare((db, { ids, statuses, auto, available }: Placing) =>
  db
    .updateTable('assignments as a')
    .from(
      sql<{ id: number; status: Status; auto: boolean; available: boolean }>`unnest(
        ${ids}::bigint[], ${statuses}::integer[], ${auto}::boolean[], ${available}::boolean[])`.as<'d'>(
        sql`d(id, status, auto, available)`,
      ),
    )
    .set(({ ref }) => ({
      status: ref('d.status'),
      auto_assigned: ref('d.auto'),
      assigned_by_availability: ref('d.available'),
      updated_at: now,
    }))
    .whereRef('a.id', '=', 'd.id'),
);

/** Stores how the assignments got their places. */
const place = async (placed: readonly StoredPath[], transaction: Transaction): Promise<void> => {
  if (placed.length === 0) return;
  const spans = placed.map(({ id, seat: { worker, start, end } }) => ({ id, employee_id: worker.id, start, end }));
  const covered = await coveredByAnswers(spans, transaction);
  const ids = placed.map(({ id }) => id);
  void transaction.defer(
    placing({
      ids: literal(ids),
      statuses: literal(placed.map(({ steps }) => lastOf(steps))),
      auto: literal(placed.map(({ steps }) => Number(steps.path.length > 1))),
      available: literal(ids.map(id => Number(covered.has(id)))),
    }),
  );
};
