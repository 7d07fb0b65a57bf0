import type { Transaction } from '../../db/database.ts';

/** A stored delivery; `next_attempt_at` null: no attempt is due. */
interface StoredDelivery {
  readonly id: number;
  readonly next_attempt_at: string | null;
}

/**
 * Enqueues the jobs of due deliveries, after the transaction that stores the deliveries.
 * The scan finds those whose jobs are lost in between.
 */
export const enqueue = (deliveries: readonly StoredDelivery[], transaction: Transaction): void => {
  const due = deliveries.filter(({ next_attempt_at }) => next_attempt_at !== null);
  if (due.length === 0) return;
  const ids = `{${due.map(({ id }) => id)}}`;
  const times = `{${due.map(({ next_attempt_at }) => next_attempt_at)}}`;
  const text = 'select enqueue_deliveries($1::bigint[], $2::timestamptz[])';
  transaction.afterwards({ name: 'enqueue_deliveries', text, values: [ids, times] });
};
