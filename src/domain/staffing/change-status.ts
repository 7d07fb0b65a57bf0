import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal, oneIn } from '../../db/ids.ts';
import { known } from '../../db/journal/returning.ts';
import { now } from '../../db/now.ts';
import { prepare } from '../../db/prepared.ts';
import type { BulkOutcome } from '../../engine/writing/bulk.ts';
import { foreseeTrigger } from '../occurrences/trigger.ts';
import { type JudgedWrite, noRules } from '../rules/rulebook.ts';
import type { ShownBreach } from '../rules/shown.ts';
import { lockSeats } from './locked-staffing.ts';
import { lockEmployees } from './locks.ts';
import { lastOf, type StoredPath, storeSteps } from './steps.ts';
import { advance, DENIED, needsObstacles, type Status } from './transition.ts';
import { loadObstacles } from './workers.ts';

/** A requested change of the status of assignments. */
export interface StatusRequest extends JudgedWrite {
  readonly ids: readonly number[];
  readonly to: Status;
  /** Omitted: the remarks stay unchanged. */
  readonly remarks?: string | null | undefined;
  /** Whether all changes are made, or none. */
  readonly atomic: boolean;
}

const settingStatus = prepare((db, { ids, to }: { ids: string; to: Status }) =>
  db.updateTable('assignments').set({ status: to, updated_at: now }).where('id', '=', oneIn(ids)).returning(known),
);

const settingStatusAndRemarks = prepare(
  (db, { ids, to, remarks }: { ids: string; to: Status; remarks: string | null }) =>
    db
      .updateTable('assignments')
      .set({ status: to, remarks, updated_at: now })
      .where('id', '=', oneIn(ids))
      .returning(known),
);

export interface StatusOutcome extends BulkOutcome {
  /** Null if the assignment does not exist. */
  readonly from: Status | null;
  /** The status after: also one that an application got automatically. */
  readonly to: Status | null;
  /** The breaches of working-time rules that only warn. */
  readonly warned: readonly ShownBreach[];
}

/**
 * Changes the status of all assignments that may change.
 * They are judged in the order given, each with the effects of those before. The number of statements does not depend
 * on the number of assignments. With `atomic`, nothing is stored if one of them fails. See docs/decisions.md, "Bulk
 * operations".
 */
export const changeStatus = async (
  request: StatusRequest,
  transaction: Transaction,
): Promise<readonly StatusOutcome[]> => {
  const { ids, to, remarks, force, atomic, rulebook, apiUserId } = request;
  foreseeTrigger('assignment.status_changed', transaction);
  const seats = await lockSeats(ids, transaction);
  const judged = [...seats.values()].filter(seat => seat.status !== to && needsObstacles(seat, to));
  await loadObstacles([...new Set(judged.map(({ worker }) => worker))], judged, rulebook, transaction);
  const stored: StoredPath[] = [];
  const outcomes = ids.map((id): StatusOutcome => {
    const seat = seats.get(id);
    if (!seat) return { id, result: 'failed', from: null, to: null, errors: [], warned: [] };
    const from = seat.status;
    const isRemarked = remarks !== undefined && remarks !== seat.remarks;
    if (from === to) return { id, result: isRemarked ? 'changed' : 'unchanged', from, to, errors: [], warned: [] };
    const steps = advance(seat, to, force);
    if (steps.errors.length > 0) return { id, result: 'failed', from, to: from, errors: steps.errors, warned: [] };
    stored.push({ id, seat, from, steps, data: isRemarked ? { remarks } : null });
    return { id, result: 'changed', from, to: lastOf(steps), errors: [], warned: steps.warned };
  });
  if (atomic && outcomes.some(({ result }) => result === 'failed')) return outcomes;
  // They exist, since they are locked.
  const records = outcomes.flatMap(({ id, result, from }) => {
    if (result !== 'changed') return [];
    const { external_id: externalId, remarks: present, updated_at: touched = null } = seats.get(id) ?? {};
    const fields = [
      ...(from === to ? [] : ['status']),
      ...(remarks === undefined || remarks === present ? [] : ['remarks']),
    ];
    return [{ id: String(id), externalId, fields, touched }];
  });
  if (records.length > 0) {
    const ids = literal(records.map(({ id }) => Number(id)));
    void transaction.defer(
      remarks === undefined
        ? settingStatus({ ids, to }, records)
        : settingStatusAndRemarks({ ids, to, remarks }, records),
    );
  }
  await storeSteps(stored, apiUserId, transaction);
  return outcomes;
};

/**
 * Denies an employee's unapproved assignments that have not begun, so that their places are free.
 * The employee is locked before they are read, so that there are no more.
 */
export const denyUpcoming = async (
  employeeId: number,
  apiUserId: number | null,
  transaction: Transaction,
): Promise<void> => {
  await lockEmployees([employeeId], transaction);
  const upcoming = await transaction.kysely
    .selectFrom('assignments')
    .select('id')
    .where('employee_id', '=', employeeId)
    .where('status', '<>', DENIED)
    .where('is_approved', '=', false)
    .where('effective_start', '>', sql<string>`tenant_now()`)
    .orderBy('id')
    .execute();
  if (upcoming.length === 0) return;
  const ids = upcoming.map(({ id }) => id);
  const request = { ids, to: DENIED, force: true, atomic: false, rulebook: noRules, apiUserId } as const;
  await changeStatus(request, transaction);
};
