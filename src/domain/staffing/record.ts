import { type Kysely, sql } from 'kysely';
import type { components } from '../../../generated/api.ts';
import type { Tables } from '../../../generated/tables.ts';
import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';
import { chunksOf, literal, withIds } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import { causeOf } from '../occurrences/cause.ts';
import { triggerOnStatusChanges } from '../occurrences/trigger-statuses.ts';
import { isHolding } from './transition.ts';

type HistoryAction = components['schemas']['HistoryAction'];

/** An entry of an assignment's history. */
export interface HistoryEntry {
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

/** A row of the history; the employee of one that does not name it is that of the assignment. */
interface HistoryRow {
  readonly id: number;
  readonly assignment_id: number;
  readonly employee_id: number | null;
  readonly action: HistoryAction;
  readonly from_status: number | null;
  readonly to_status: number | null;
  /** JSON, as is `overridden`. */
  readonly data: string | null;
  readonly overridden: string;
  readonly api_user_id: number | null;
  readonly automation_id: number | null;
}

const addingRows = (db: Kysely<Tables>, rows: readonly HistoryRow[]) =>
  db.insertInto('assignment_history').values(({ selectFrom }) =>
    rows.map(row => {
      const own = selectFrom('assignments').select('employee_id').where('id', '=', row.assignment_id);
      return {
        id: row.id,
        assignment_id: row.assignment_id,
        employee_id: sql<number>`coalesce(${row.employee_id}::bigint, ${own})`,
        action: row.action,
        from_status: row.from_status,
        to_status: row.to_status,
        data: row.data,
        overridden: row.overridden,
        api_user_id: row.api_user_id,
        automation_id: row.automation_id,
      };
    }),
  );

const addingRow = prepare((db, row: HistoryRow) => addingRows(db, [row]));

/**
 * Adds entries to the history of assignments, and triggers automations for changed statuses.
 * With the next trip; `apiUserId` null: the service.
 */
export const recordHistory = async (
  entries: readonly HistoryEntry[],
  apiUserId: number | null,
  transaction: Transaction,
): Promise<void> => {
  if (entries.length === 0) return;
  const rows = entries.map(({ employee_id = null, data = null, overridden = [], automatic = false, ...entry }) => ({
    ...entry,
    employee_id,
    data: data === null ? null : JSON.stringify(data),
    overridden: JSON.stringify(overridden),
    api_user_id: automatic ? null : apiUserId,
    automation_id: causeOf(transaction)?.automationId ?? null,
  }));
  for (const chunk of chunksOf(await withIds(transaction, 'assignment_history', rows))) {
    const [only, ...others] = chunk as [HistoryRow, ...HistoryRow[]];
    void transaction.defer(others.length === 0 ? addingRow(only) : addingRows(transaction.kysely, chunk));
  }
  await triggerOnStatusChanges(entries, transaction);
};

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
