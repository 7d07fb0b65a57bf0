import type { Transaction } from '../db/database.ts';
import { enqueue } from '../domain/occurrences/enqueue.ts';
import { type Delivery, PENDING } from './pending.ts';

/** What has become of an attempt. */
export interface DeliveryOutcome {
  readonly error: string | null;
  readonly responseStatus?: number | null;
  /** Time of the next attempt; null: none. */
  readonly next?: Date | null;
  /** Host of a webhook's URL, for the log: its path and query may contain a secret. */
  readonly host?: string | undefined;
}

/** When an attempt is made. */
export interface Timing {
  /** The present of the tenant's clock. */
  readonly present: () => Date;
  /** Milliseconds since it began. */
  readonly elapsed: () => number;
}

const SUCCEEDED = 2;
const FAILED = 3;

/** Stores the outcome of an attempt, unless another is stored already, and enqueues what follows. */
export const settle = async (
  { id, attempt, automation_id: automationId, lane }: Delivery,
  { error, responseStatus = null, next = null }: DeliveryOutcome,
  { present, elapsed }: Timing,
  transaction: Transaction,
): Promise<void> => {
  const settled = await transaction.kysely
    .updateTable('automation_deliveries')
    .set({
      status: error === null ? SUCCEEDED : next ? PENDING : FAILED,
      attempt: attempt + 1,
      response_status: responseStatus,
      error,
      duration: elapsed(),
      attempted_at: wholeSecond(present()),
      next_attempt_at: next && wholeSecond(next),
    })
    .where('id', '=', id)
    .where('status', '=', PENDING)
    .where('attempt', '=', attempt)
    .returning(['id', 'next_attempt_at'])
    .execute();
  const following =
    attempt === 0 && lane !== null && settled.length > 0 ? await nextInLane(automationId, lane, transaction) : [];
  enqueue([...settled, ...following], transaction);
};

/**
 * The delivery of the lane whose first attempt follows.
 * It is read in a statement of its own, which sees what was added meanwhile.
 */
const nextInLane = (automationId: number, lane: string, { kysely }: Transaction) =>
  kysely
    .selectFrom('automation_deliveries')
    .select(['id', 'next_attempt_at'])
    .where('automation_id', '=', automationId)
    .where('lane', '=', lane)
    .where('status', '=', PENDING)
    .where('attempt', '=', 0)
    .orderBy('position')
    .limit(1)
    .execute();

const wholeSecond = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
