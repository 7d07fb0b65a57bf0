import type { Logger } from 'pino';
import { sweepFields } from '../../attributes/sweep.ts';
import type { Database } from '../../db/open.ts';
import type { Files } from '../../files/files.ts';
import { enqueueLost } from '../../imports/sweep.ts';
import { sweep } from '../../resources/files/sweep.ts';
import type { Run } from '../../tenancy/each-tenant.ts';
import { keptFor, removeOld } from './retention.ts';

/** Milliseconds until the first run: also what is restarted more often than hourly removes something. */
const first = 60_000;
/** Milliseconds between runs. */
const interval = 3_600_000;

/**
 * Starts the periodic removal of what is no longer kept.
 * That is contents without a file, values of deleted fields, and everything that is kept for a time only. Also adds the jobs that imports
 * have lost. What fails is logged with its task and its tenant, and done again the next time. Does not keep the process alive.
 * @param days for which entries of the journal are kept
 * @returns a function that stops it, after what is being done for a tenant
 */
export const startSweeper = (files: Files, database: Database, days: number, log: Logger): (() => Promise<void>) => {
  let stopping = false;
  const runOf = (task: string): Run => ({
    failed: (error, tenant) =>
      log.warn({ err: error, task, tenant: tenant?.slug }, 'A task of the regular cleaning has failed.'),
    goesOn: () => !stopping,
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
  const runAll = async (): Promise<void> => {
    for (const [name, task] of Object.entries(tasks)) {
      const run = runOf(name);
      if (run.goesOn()) await task(run).catch(error => run.failed(error));
    }
  };
  let running: Promise<void> | null = null;
  const start = (): void => {
    running ??= runAll().finally(() => {
      running = null;
    });
  };
  const timers = [setTimeout(start, first).unref(), setInterval(start, interval).unref()];
  return async () => {
    stopping = true;
    timers.forEach(clearTimeout);
    await running;
  };
};
