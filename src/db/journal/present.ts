import { setTimeout } from 'node:timers/promises';
import type { TenantDb } from '../database.ts';
import { enteredOf, presentStatement } from '../enter.ts';
import { boundsOf } from './snapshots.ts';

/** Milliseconds between two looks at transactions in progress: they grow. */
const [SHORTEST, LONGEST] = [10, 250];
/** Milliseconds for which they are waited for, unless said otherwise. */
const TIMEOUT = 2_000;

/** Whether transactions in progress are waited for any longer. */
export type Patience = () => boolean;

/** Returns what is patient for a time from now. @param ms milliseconds */
export const patientFor = (ms: number): Patience => {
  const end = performance.now() + ms;
  return () => performance.now() < end;
};

/**
 * Waits until every entry that is committed now can get its position.
 * Transactions in progress that began before one of them could still precede it. If they last longer than two seconds, or than said, such
 * entries follow the cursor of the present, too.
 * @param newest the highest transaction id of the entries without a position
 * @returns a snapshot in which they can
 */
export const awaitPresent = async (
  newest: string,
  db: TenantDb,
  isPatient: Patience = patientFor(TIMEOUT),
): Promise<string> => {
  for (let pause = SHORTEST; ; pause = Math.min(2 * pause, LONGEST)) {
    const [present] = await db.read(presentStatement);
    const { snapshot } = enteredOf(present);
    const { start, end: next } = boundsOf(snapshot);
    const transaction = BigInt(newest);
    if (transaction < start || transaction >= next || !isPatient()) return snapshot;
    await setTimeout(pause);
  }
};
