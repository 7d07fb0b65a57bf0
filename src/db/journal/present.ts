import { setTimeout } from 'node:timers/promises';
import type { TenantDb } from '../database.ts';
import { enteredOf, presentStatement } from '../enter.ts';
import { boundsOf } from './snapshots.ts';

/** Milliseconds for which transactions in progress are waited for, and between two looks at them. */
const [timeout, pause] = [2_000, 10];

/**
 * Waits until every entry that is committed now can get its position.
 * Transactions in progress that began before one of them could still precede it. If they last longer than two seconds, such entries
 * follow the cursor of the present, too.
 * @param newest the highest transaction id of the entries without a position
 * @returns a snapshot in which they can
 */
export const awaitPresent = async (newest: string, db: TenantDb): Promise<string> => {
  const end = performance.now() + timeout;
  for (;;) {
    const [present] = await db.read(presentStatement);
    const { snapshot } = enteredOf(present);
    const { start, end: next } = boundsOf(snapshot);
    const transaction = BigInt(newest);
    if (transaction < start || transaction >= next || performance.now() >= end) return snapshot;
    await setTimeout(pause);
  }
};
