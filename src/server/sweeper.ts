import type { Logger } from 'pino';
import { sweepFields } from '../attributes/sweep.ts';
import type { Database } from '../db/open.ts';
import type { Files } from '../files/files.ts';
import { sweep } from '../resources/files/sweep.ts';

const hour = 3_600_000;

/**
 * Starts the periodic removal of contents without a file and of values of deleted fields. Does not keep the process alive.
 * @param interval milliseconds
 * @returns a function that stops it
 */
export const startSweeper = (files: Files, database: Database, log: Logger, interval = hour): (() => void) => {
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
