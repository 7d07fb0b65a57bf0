import type { Logger } from 'pino';
import { startAutomations } from '../../automations/runner.ts';
import type { Database } from '../../db/open.ts';
import { returnClaimed } from '../../db/queue.ts';
import type { Files } from '../../files/files.ts';
import { startImports } from '../../imports/worker.ts';
import { importParts } from '../api.ts';
import type { Config } from '../config/config.ts';
import { startConflicts } from './conflicts.ts';
import { startSweeper } from './sweeper.ts';

/** Ends a job in the background: completes what has begun. */
export type EndJob = () => void | Promise<void>;

/**
 * Starts the sweeper, and the automations, conflicts and imports where the configuration says so.
 * @param ends gets what ends each of them
 * @param insist repeats what the database is needed for until it is available
 */
export const startJobs = async (
  ends: EndJob[],
  {
    config,
    database,
    files,
    log,
    insist,
  }: {
    readonly insist: <T>(work: () => Promise<T>) => Promise<T>;
    readonly config: Config;
    readonly database: Database;
    readonly files: Files;
    readonly log: Logger;
  },
): Promise<void> => {
  // The embedded database has one process at a time, so what is claimed was so by one that has ended.
  if (database.kind === 'embedded') await returnClaimed(database.queue);
  ends.push(startSweeper(files, database, config.changesRetention, log));
  if (config.automations.run) ends.push(await insist(() => startAutomations(config.automations, database, log)));
  if (config.conflicts) ends.push(startConflicts(database, log));
  if (!config.imports) return;
  const cells = { defused: config.formats.defuseCsv, depth: config.limits.jsonDepth };
  const parts = importParts({ database, files, cells, log });
  ends.push(await insist(() => startImports(parts)));
};
