import { type Insertable, type Kysely, sql } from 'kysely';
import type { components } from '../../../generated/api.ts';
import type { Tables } from '../../../generated/tables.ts';
import type { Json } from '../../core/call/reply.ts';
import { chunksOf } from '../../core/chunks.ts';
import type { Transaction } from '../../db/database.ts';
import { insertable, withIds } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import { causeOf } from '../occurrences/cause.ts';
import { triggerOnStatusChanges } from '../occurrences/trigger-statuses.ts';
import { type Verdict, withBreaches } from './checks.ts';

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

/**
 * Returns the entry of a write that leaves the status of an assignment as it is.
 * With what it has overridden, and the breaches of working-time rules as they were.
 */
export const entryOf = (
  { id, status }: { readonly id: number | null; readonly status: number | null },
  action: HistoryAction,
  data: Json,
  { overridden = [], rules = [], warned = [] }: Partial<Verdict> = {},
): HistoryEntry => ({
  assignment_id: Number(id),
  action,
  from_status: status,
  to_status: status,
  data: withBreaches(data, { rules, warned }),
  overridden,
});

/** A row of the history; the employee of one that does not name it is that of the assignment. */
interface HistoryRow
  extends Omit<Insertable<Tables['assignment_history']>, 'tenant_id' | 'employee_id' | 'created_at'> {
  readonly tenant: number;
  readonly employee_id: number | null;
}

const addingRows = (db: Kysely<Tables>, rows: readonly HistoryRow[]) =>
  db.insertInto('assignment_history').values(
    rows.map(row => ({
      id: row.id,
      assignment_id: row.assignment_id,
      employee_id: sql<number>`history_employee(${row.tenant}, ${row.employee_id}, ${row.assignment_id})`,
      action: row.action,
      from_status: row.from_status,
      to_status: row.to_status,
      data: row.data,
      overridden: row.overridden,
      api_user_id: row.api_user_id,
      automation_id: row.automation_id,
    })),
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
    tenant: transaction.tenant.id,
    employee_id,
    data: data === null ? null : JSON.stringify(data),
    overridden: JSON.stringify(overridden),
    api_user_id: automatic ? null : apiUserId,
    automation_id: causeOf(transaction)?.automationId ?? null,
  }));
  for (const chunk of chunksOf(await withIds(transaction, 'assignment_history', rows), insertable)) {
    const [only, ...others] = chunk as [HistoryRow, ...HistoryRow[]];
    void transaction.defer(others.length === 0 ? addingRow(only) : addingRows(transaction.kysely, chunk));
  }
  await triggerOnStatusChanges(entries, transaction);
};
