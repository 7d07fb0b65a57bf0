import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';

/** A stored delivery; `next_attempt_at` null: no attempt is due. */
interface StoredDelivery {
  readonly id: number;
  readonly next_attempt_at: string | null;
}

/** Enqueues the jobs of due deliveries, in the transaction that stores the deliveries. */
export const enqueue = async (deliveries: readonly StoredDelivery[], { kysely }: Transaction): Promise<void> => {
  const due = deliveries.filter(({ next_attempt_at }) => next_attempt_at !== null);
  if (due.length === 0) return;
  const ids = `{${due.map(({ id }) => id)}}`;
  const times = `{${due.map(({ next_attempt_at }) => next_attempt_at)}}`;
  await kysely
    .selectNoFrom(sql`enqueue_deliveries(${ids}::bigint[], ${times}::timestamptz[])`.as('enqueued'))
    .execute();
};
