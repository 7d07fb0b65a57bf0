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

/** How a job in the background ends. */
interface Job {
  /** Completes what has begun. */
  readonly drain?: () => Promise<void>;
  /** Ends at once. */
  readonly stop?: () => void;
}

/** The jobs in the background that run in a server. */
export interface Jobs {
  add(job: Job): void;
  /** Ends the jobs that have work to complete. */
  drain(): Promise<void>;
  /** Ends the others. */
  stop(): void;
}

/** Creates the list of jobs, which is empty. */
export const createJobs = (): Jobs => {
  const running: Job[] = [];
  return {
    add: job => void running.push(job),
    drain: async () => void (await Promise.all(running.map(({ drain }) => drain?.()))),
    stop: () => {
      for (const { stop } of running) stop?.();
    },
  };
};

/**
 * Starts the sweeper, and the automations, conflicts and imports where the configuration says so.
 * @param insist repeats what the database is needed for until it is available
 */
export const startJobs = async (
  jobs: Jobs,
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
  jobs.add({ drain: startSweeper(files, database, config.changesRetention, log) });
  if (config.automations.run)
    jobs.add({ drain: await insist(() => startAutomations(config.automations, database, log)) });
  if (config.conflicts) jobs.add({ drain: startConflicts(database, log) });
  if (!config.imports) return;
  const cells = { defused: config.formats.defuseCsv, depth: config.limits.jsonDepth };
  const parts = importParts({ database, files, cells, log });
  jobs.add({ drain: await insist(() => startImports(parts)) });
};
