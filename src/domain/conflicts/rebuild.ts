import { setTimeout as pause } from 'node:timers/promises';
import type { TenantDb } from '../../db/database.ts';
import { readJournal } from '../../db/journal/read.ts';
import { type ConflictsStep, followConflicts } from './follow.ts';

/** Milliseconds until one looks again who has been busy with the same tenant, and for how long at most. */
const [LOOK, LONGEST] = [20, 60_000];

/**
 * Takes the conflicts of a tenant to the present: every change that is committed now is in them.
 * @returns the position, and how many conflicts were added, changed or removed
 */
export const finishConflicts = (db: TenantDb): Promise<ConflictsStep> => finish(db, false);

/** Returns the position of the last change of a tenant that is committed now. */
export const presentPosition = async (db: TenantDb): Promise<number> =>
  (await readJournal({ after: 'now', resources: [], changes: [], limit: 1 }, db)).position;

/**
 * Judges all work of a tenant again, once its conflicts are as far as its journal.
 * @returns how many conflicts were wrong: added, changed or removed
 */
export const rebuildConflicts = async (db: TenantDb): Promise<number> => {
  await finish(db, false);
  return (await finish(db, true)).changes;
};

const finish = async (db: TenantDb, anew: boolean): Promise<ConflictsStep> => {
  const present = await presentPosition(db);
  let [begins, changes, end] = [anew, 0, performance.now() + LONGEST];
  for (;;) {
    const step = await followConflicts(db, begins);
    if (step) {
      begins = false;
      changes += step.changes;
      end = performance.now() + LONGEST;
      if (!step.more && step.position >= present) return { ...step, changes };
    } else if (performance.now() > end) throw new Error('Somebody else has been busy with the conflicts for a minute.');
    else await pause(LOOK);
  }
};
