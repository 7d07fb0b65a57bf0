import type { Logger } from 'pino';
import { sweepFields } from '../../attributes/sweep.ts';
import type { Database } from '../../db/open.ts';
import type { Files } from '../../files/files.ts';
import { enqueueLost } from '../../imports/sweep.ts';
import { sweep } from '../../resources/files/sweep.ts';
import type { Run } from '../../tenancy/each-tenant.ts';
import { keptFor, removeOld } from './retention.ts';

const hour = 3_600_000;

/**
 * Starts the periodic removal of what is no longer kept.
 * That is contents without a file, values of deleted fields, and everything that is kept for a time only. Also adds the jobs that imports
 * have lost. What fails is logged with its task and its tenant, and done again the next time. Does not keep the process alive.
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
  const runOf = (task: string): Run => ({
    failed: (error, tenant) =>
      log.warn({ err: error, task, tenant: tenant?.slug }, 'A task of the regular cleaning has failed.'),
    goesOn: () => true,
  });
  const tasks: Readonly<Record<string, (run: Run) => Promise<void>>> = {
    'Files without a record': async run => {
      const swept = await sweep(files, database, Date.now(), run);
      if (swept.lost > 0) log.error(swept, 'The content of some files is missing in the storage.');
      else if (swept.temporary + swept.contents > 0) log.info(swept, 'Orphaned files have been removed.');
    },
    'Values of deleted fields': async run => {
      const values = await sweepFields(database, run);
      if (values > 0) log.info({ values }, 'Values of deleted fields have been removed.');
    },
    'What is kept for a time': async () => {
      const removed = await removeOld(keptFor(days), database, Date.now(), runOf);
      if (Object.keys(removed).length > 0) log.info(removed, 'What has been kept long enough has been removed.');
    },
    'Imports without a job': run => enqueueLost(database, run),
  };
  let running = false;
  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    for (const [name, task] of Object.entries(tasks)) {
      const part = runOf(name);
      await task(part).catch(error => part.failed(error));
    }
    running = false;
  };
  const timer = setInterval(() => void run(), interval).unref();
  return () => clearInterval(timer);
};
