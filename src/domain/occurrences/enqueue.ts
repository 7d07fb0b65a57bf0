import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';

/** A delivery as it has been kept; `next_attempt_at` null: it is not to be tried. */
interface Kept {
  readonly id: number;
  readonly next_attempt_at: string | null;
}

/** Gives those deliveries that are to be tried their jobs, in the transaction that keeps the deliveries: none without the other. */
export const enqueue = async (deliveries: readonly Kept[], { kysely }: Transaction): Promise<void> => {
  const due = deliveries.filter(({ next_attempt_at }) => next_attempt_at !== null);
  if (due.length === 0) return;
  const ids = `{${due.map(({ id }) => id)}}`;
  const times = `{${due.map(({ next_attempt_at }) => next_attempt_at)}}`;
  await kysely
    .selectNoFrom(sql`enqueue_deliveries(${ids}::bigint[], ${times}::timestamptz[])`.as('enqueued'))
    .execute();
};
