import type { Logger } from 'pino';
import { sweepFields } from '../attributes/sweep.ts';
import type { Database } from '../db/open.ts';
import type { Files } from '../files/files.ts';
import { sweep } from '../resources/files/sweep.ts';

const hour = 3_600_000;

/**
 * Removes what is left over, now and then, for as long as the process lives, without keeping it alive: contents without a file, values
 * of deleted fields.
 * @returns stops it
 */
export const startSweeper = (files: Files, database: Database, log: Logger, interval = hour): (() => void) => {
  const works: readonly (() => Promise<void>)[] = [
    async () => {
      const swept = await sweep(files, database);
      if (swept.lost > 0) log.error(swept, 'Files have lost their content.');
      else if (swept.temporary + swept.contents > 0) log.info(swept, 'Left-over files have been removed.');
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
    for (const work of works)
      await work().catch(error => log.warn({ err: error }, 'What is left over could not be looked for.'));
    running = false;
  };
  const timer = setInterval(() => void run(), interval).unref();
  return () => clearInterval(timer);
};
