import { setTimeout as pause } from 'node:timers/promises';
import type { TenantDb } from '../../db/database.ts';
import { type Patience, patientFor } from '../../db/journal/present.ts';
import { readJournal } from '../../db/journal/read.ts';
import { InputError } from '../../tenancy/names.ts';
import { type ConflictsStep, followConflicts } from './follow.ts';

/** Milliseconds until one looks again who has been busy with the same tenant, and for how long at most. */
const [LOOK, LONGEST] = [20, 60_000];

/**
 * Takes the conflicts of a tenant to the present: every change that is committed now is in them.
 * Those of a tenant that is disabled, or whose clock is set back meanwhile, stay as they are.
 * @returns the position, and how many conflicts were added, changed or removed
 */
export const finishConflicts = (db: TenantDb): Promise<ConflictsStep> => finish(db, false);

/**
 * Returns the position of the last change of a tenant that is committed now.
 * @param isPatient whether transactions in progress are waited for that could still precede it
 */
export const presentPosition = async (db: TenantDb, isPatient: Patience): Promise<number> =>
  (await readJournal({ after: 'now', resources: [], changes: [], limit: 1 }, db, isPatient)).position;

/**
 * Judges all work of a tenant again, once its conflicts are as far as its journal.
 * @returns how many conflicts were wrong: added, changed or removed
 * @throws InputError if the tenant is disabled, or its clock is set back meanwhile
 */
export const rebuildConflicts = async (db: TenantDb): Promise<number> => {
  await finish(db, false);
  const { changes, isOutdated } = await finish(db, true);
  if (!isOutdated) return changes;
  throw new InputError(`The tenant "${db.tenant.slug}" is disabled, or is being reset: nobody writes its records`);
};

const finish = async (db: TenantDb, anew: boolean): Promise<ConflictsStep> => {
  const present = await presentPosition(db, patientFor(LONGEST));
  let [begins, changes, end] = [anew, 0, performance.now() + LONGEST];
  for (;;) {
    const step = await followConflicts(db, begins);
    if (step) {
      begins = false;
      changes += step.changes;
      end = performance.now() + LONGEST;
      if (step.isOutdated || (!step.more && step.position >= present)) return { ...step, changes };
    } else if (performance.now() > end) throw new Error('Somebody else has been busy with the conflicts for a minute.');
    else await pause(LOOK);
  }
};
