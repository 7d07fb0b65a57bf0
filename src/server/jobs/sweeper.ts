import type { Logger } from 'pino';
import { sweepFields } from '../../attributes/sweep.ts';
import type { Database } from '../../db/open.ts';
import type { Files } from '../../files/files.ts';
import { sweep } from '../../resources/files/sweep.ts';
import { keptFor, removeOld } from './retention.ts';

const hour = 3_600_000;

/**
 * Starts the periodic removal of what is no longer kept.
 * That is contents without a file, values of deleted fields, and everything that is kept for a time only. Does not keep the process
 * alive.
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
      const removed = await removeOld(keptFor(days), database);
      if (Object.keys(removed).length > 0) log.info(removed, 'What has been kept long enough has been removed.');
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
