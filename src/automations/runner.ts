import { type JobResult, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../db/open.ts';
import { JOBS, queues } from '../db/queue.ts';
import { deliver, type Job, type Surroundings } from './deliver.ts';
import { scan } from './scan.ts';
import { createWebhooks } from './webhook.ts';

/** The job queue of the database, polled: it works behind a pooler and on the embedded database alike. */
export const openQueue = (database: Database, more: ConstructorParameters<typeof PgBoss>[0] & object = {}): PgBoss =>
  new PgBoss({
    db: database.queue,
    schema: JOBS,
    backend: database.kind === 'embedded' ? 'pglite' : 'postgres',
    // Its tables are a migration's, and their owner need not be the user who works with them.
    migrate: false,
    createSchema: false,
    reindex: false,
    monitorVacuum: false,
    ...more,
  });

/** Tries the deliveries of jobs, side by side; one that fails for a reason of this side stays in the queue. */
export const work = (jobs: readonly { readonly id: string; readonly data: Job }[], surroundings: Surroundings) =>
  Promise.all(
    jobs.map(async ({ id, data }): Promise<JobResult> => {
      try {
        await deliver(data, surroundings);
        return { id, status: 'completed' };
      } catch (error) {
        surroundings.log.warn({ err: error, delivery: data.delivery_id }, 'A delivery could not be tried.');
        return { id, status: 'failed' };
      }
    }),
  );

/** Milliseconds that work under way is waited for: longer than a webhook may take. */
const patience = 5_000;

/** How webhooks are sent: see createWebhooks. */
interface Options {
  /** How often a webhook is tried. */
  readonly attempts: number;
  readonly webhooks: Parameters<typeof createWebhooks>[0];
}

/**
 * Does the work of automations until it is stopped: deliveries soon after they are added, and a look at the time once a minute. The
 * instances of an installation share it.
 * @returns stops it, once what is under way is done
 */
export const startAutomations = async (
  { attempts, webhooks }: Options,
  database: Database,
  log: Logger,
): Promise<() => Promise<void>> => {
  const surroundings: Surroundings = {
    database,
    send: createWebhooks(webhooks),
    attempts,
    log,
    now: () => new Date(),
  };
  const queue = openQueue(database);
  queue.on('error', error => log.warn({ err: error }, 'The job queue has a problem.'));
  await queue.start();
  await queue.work<Job>(
    queues.deliveries,
    {
      perJobResults: true,
      batchSize: 5,
      localConcurrency: 2,
      pollingIntervalSeconds: 1,
      burstWhenBatchFull: true,
    },
    jobs => work(jobs, surroundings),
  );
  await queue.work(queues.scan, { pollingIntervalSeconds: 5 }, async () => {
    await scan(database, surroundings.now(), log);
  });
  await queue.schedule(queues.scan, '* * * * *', null, { tz: 'UTC' });
  return () => queue.stop({ graceful: true, close: false, timeout: webhooks.timeout + patience });
};
