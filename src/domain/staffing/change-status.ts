import { sql } from 'kysely';
import type { FieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { countPlaces, recordHistory } from './record.ts';
import { lockSeats } from './seats.ts';
import { judge, type Status, take } from './transition.ts';

/** A requested change of the status of assignments. */
export interface StatusRequest {
  readonly ids: readonly number[];
  readonly to: Status;
  /** Omitted: the remarks stay unchanged. */
  readonly remarks?: string | null | undefined;
  readonly force: boolean;
  /** Whether all changes are made, or none. */
  readonly atomic: boolean;
  readonly apiUserId: number | null;
}

export interface Outcome {
  readonly id: number;
  readonly result: 'changed' | 'unchanged' | 'failed';
  /** Null if the assignment does not exist. */
  readonly from: Status | null;
  readonly errors: readonly FieldError[];
}

/**
 * Changes the status of all assignments that may change. They are judged in the order given, each with the effects of
 * those before. The number of statements does not depend on the number of assignments. With `atomic`, nothing is stored
 * if one of them fails.
 */
export const changeStatus = async (request: StatusRequest, transaction: Transaction): Promise<readonly Outcome[]> => {
  const { ids, to, remarks, force, atomic, apiUserId } = request;
  const seats = await lockSeats(ids, transaction);
  const overridden = new Map<number, readonly string[]>();
  const outcomes = ids.map((id): Outcome => {
    const seat = seats.get(id);
    if (!seat) return { id, result: 'failed', from: null, errors: [] };
    const from = seat.status;
    if (from === to) return { id, result: 'unchanged', from, errors: [] };
    const verdict = judge(seat, to, force);
    if (verdict.errors.length > 0) return { id, result: 'failed', from, errors: verdict.errors };
    overridden.set(id, verdict.overridden);
    take(seat, to);
    return { id, result: 'changed', from, errors: [] };
  });
  if (atomic && outcomes.some(({ result }) => result === 'failed')) return outcomes;
  const changed = outcomes.filter(({ result }) => result === 'changed');
  const affected = remarks === undefined ? changed : outcomes.filter(({ result }) => result !== 'failed');
  if (affected.length > 0) {
    await transaction.kysely
      .updateTable('assignments')
      .set({
        status: to,
        ...(remarks !== undefined && { remarks }),
        updated_at: sql<string>`date_trunc('second', now())`,
      })
      .where('id', '=', sql<number>`any(${literal(affected.map(({ id }) => id))}::bigint[])`)
      .execute();
  }
  await countPlaces(
    changed.map(({ id, from }) => ({ event_function_id: seats.get(id)?.place.id ?? 0, from, to })),
    transaction,
  );
  await recordHistory(
    changed.map(({ id, from }) => ({
      assignment_id: id,
      action: 'status' as const,
      from_status: from,
      to_status: to,
      data: remarks === undefined ? null : { remarks },
      overridden: overridden.get(id) ?? [],
    })),
    apiUserId,
    transaction,
  );
  return outcomes;
};
