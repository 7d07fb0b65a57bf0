import type { Logger } from 'pino';
import { sweepFields } from '../attributes/sweep.ts';
import { retention } from '../automations/scan.ts';
import { forgetEntries } from '../db/journal/forget.ts';
import type { Database } from '../db/open.ts';
import type { Files } from '../files/files.ts';
import { sweepImports } from '../imports/sweep.ts';
import { sweep } from '../resources/files/sweep.ts';
import { forgetActivity } from '../tenancy/activity.ts';
import { listTenants } from '../tenancy/directory.ts';

const hour = 3_600_000;

/**
 * Starts the periodic removal of contents without a file, of values of deleted fields, of old imports, of old
 * usage and refused requests, and of old entries of the journal.
 * Does not keep the process alive.
 * @param days for which entries of the journal are kept
 * @param interval milliseconds
 * @returns a function that stops it
 */
export const startSweeper = (
  files: Files,
  database: Database,
  days: number,
  log: Logger,
  interval = hour,
): (() => void) => {
  const tasks: readonly (() => Promise<void>)[] = [
    async () => {
      const swept = await sweep(files, database);
      if (swept.lost > 0) log.error(swept, 'The content of some files is missing in the storage.');
      else if (swept.temporary + swept.contents > 0) log.info(swept, 'Orphaned files have been removed.');
    },
    async () => {
      const values = await sweepFields(database);
      if (values > 0) log.info({ values }, 'Values of deleted fields have been removed.');
    },
    async () => {
      const imports = await sweepImports(database, retention.deliveries);
      if (imports > 0) log.info({ imports }, 'Old imports have been removed.');
    },
    async () => {
      for (const { tenant } of await listTenants(database)) await forgetActivity(database, tenant.id);
    },
    async () => {
      const entries = await forgetChanges(database, days);
      if (entries > 0) log.info({ entries }, 'Old changes have been removed.');
    },
  ];
  let running = false;
  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    for (const task of tasks)
      await task().catch(error => log.warn({ err: error }, 'The removal of orphaned data has failed.'));
    running = false;
  };
  const timer = setInterval(() => void run(), interval).unref();
  return () => clearInterval(timer);
};

/** Deletes the entries of all tenants' journals that are older than the given number of days; returns their number. */
export const forgetChanges = async (database: Database, days: number): Promise<number> => {
  let removed = 0;
  for (const { tenant } of await listTenants(database)) {
    for (let deleted = BATCH; deleted === BATCH; removed += deleted)
      deleted = await database.asOwner(tenant.id, transaction => forgetEntries({ days, limit: BATCH }, transaction));
  }
  return removed;
};

/** Entries that one transaction deletes at most. */
const BATCH = 10_000;
