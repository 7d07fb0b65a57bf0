import { sql } from 'kysely';
import type { components } from '../../../generated/api.ts';
import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';
import { chunksOf, literal, withIds } from '../../db/ids.ts';
import { causeOf } from '../occurrences/cause.ts';
import { triggerOnStatusChanges } from '../occurrences/trigger-statuses.ts';
import { isHolding } from './transition.ts';

type HistoryAction = components['schemas']['HistoryAction'];

/** An entry of an assignment's history. */
export interface Entry {
  readonly assignment_id: number;
  /** The employee of an assignment that is deleted; that of any other is read. */
  readonly employee_id?: number;
  readonly action: HistoryAction;
  /** Null: a new assignment. */
  readonly from_status: number | null;
  /** Null: a deleted assignment. */
  readonly to_status: number | null;
  readonly data?: Json;
  readonly overridden?: readonly string[];
  /** Whether the change follows from the rules and not from the request alone: it has no API user. */
  readonly automatic?: boolean;
}

/**
 * Adds entries to the history of assignments and triggers automations for changed statuses; `apiUserId` null: the
 * service.
 */
export const recordHistory = async (
  entries: readonly Entry[],
  apiUserId: number | null,
  transaction: Transaction,
): Promise<void> => {
  if (entries.length === 0) return;
  const rows = entries.map(({ data = null, overridden = [], automatic = false, ...entry }) => ({
    ...entry,
    data: data === null ? null : JSON.stringify(data),
    overridden: JSON.stringify(overridden),
    api_user_id: automatic ? null : apiUserId,
    automation_id: causeOf(transaction)?.automationId ?? null,
  }));
  for (const chunk of chunksOf(await withIds(transaction, 'assignment_history', rows)))
    await transaction.kysely
      .insertInto('assignment_history')
      .values(({ selectFrom }) =>
        chunk.map(row => ({
          employee_id: selectFrom('assignments').select('employee_id').where('id', '=', row.assignment_id),
          ...row,
        })),
      )
      .execute();
  await triggerOnStatusChanges(entries, transaction);
};

/** A change of an assignment's status in an event function; null: no assignment before or after. */
export interface Shift {
  readonly event_function_id: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** Updates the numbers of filled places of event functions and events, with one statement each. */
export const countPlaces = async (shifts: readonly Shift[], { kysely }: Transaction): Promise<void> => {
  const deltas = new Map<number, number>();
  for (const { event_function_id: id, from, to } of shifts) {
    const delta = Number(isHolding(to)) - Number(isHolding(from));
    if (delta !== 0) deltas.set(id, (deltas.get(id) ?? 0) + delta);
  }
  const changed = [...deltas].filter(([, delta]) => delta !== 0);
  if (changed.length === 0) return;
  const rows = await kysely
    .updateTable('event_functions as f')
    .from(unnested(changed))
    .set({ holding: sql<number>`f.holding + d.delta` })
    .whereRef('f.id', '=', 'd.id')
    .returning(['f.event_id', 'd.delta'])
    .execute();
  const events = new Map<number, number>();
  for (const { event_id, delta } of rows) events.set(event_id, (events.get(event_id) ?? 0) + delta);
  await kysely
    .updateTable('events as e')
    .from(unnested([...events].sort(([a], [b]) => a - b)))
    .set({ holding: sql<number>`e.holding + d.delta` })
    .whereRef('e.id', '=', 'd.id')
    .execute();
};

const unnested = (pairs: readonly (readonly [id: number, delta: number])[]) =>
  sql<{
    id: number;
    delta: number;
  }>`unnest(${literal(pairs.map(([id]) => id))}::bigint[], ${literal(pairs.map(([, delta]) => delta))}::integer[])`.as<'d'>(
    sql`d(id, delta)`,
  );
