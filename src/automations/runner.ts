import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../attributes/tenant-fields.ts';
import type { Database } from '../db/open.ts';
import { JOBS, queues } from '../db/queue.ts';
import type { ConcurrencyLimits } from './claim.ts';
import { startCourier } from './courier.ts';
import type { DeliveryDependencies } from './deliver.ts';
import { startFollower } from './follower.ts';
import { finishMoves } from './sandbox/clock.ts';
import { scan } from './scan.ts';
import { createWebhooks } from './webhook.ts';

/** Seconds between two looks for jobs whose process sends no heartbeats any more. */
const look = 15;

/**
 * The database's job queue.
 * It is polled, so that it works behind a pooler and on the embedded database.
 */
export const openQueue = (database: Database, more: ConstructorParameters<typeof PgBoss>[0] & object = {}): PgBoss =>
  new PgBoss({
    db: database.queue,
    schema: JOBS,
    // The embedded database has no other process whose jobs could be left (startJobs).
    ...(database.kind === 'embedded'
      ? { backend: 'pglite' }
      : { backend: 'postgres', superviseIntervalSeconds: look, monitorIntervalSeconds: look }),
    // A migration creates its tables, and the login of the server need not own them.
    migrate: false,
    createSchema: false,
    reindex: false,
    monitorVacuum: false,
    ...more,
  });

/**
 * Opens the job queue, starts it and what works on it.
 * If that fails, what has begun is stopped, so that it can be tried again.
 */
export const startQueue = async (
  database: Database,
  log: Logger,
  work: (queue: PgBoss) => Promise<unknown>,
): Promise<PgBoss> => {
  const queue = openQueue(database);
  queue.on('error', error => log.warn({ err: error }, 'The job queue reported an error.'));
  try {
    await queue.start();
    await work(queue);
    return queue;
  } catch (error) {
    await queue.stop({ graceful: false, close: false }).catch(() => {});
    throw error;
  }
};

/** Milliseconds to wait for in-flight jobs when stopping, in addition to the timeout of a webhook. */
const stopMargin = 5_000;

interface RunnerOptions {
  /** Maximum number of attempts of a webhook. */
  readonly attempts: number;
  readonly webhooks: Parameters<typeof createWebhooks>[0];
  readonly concurrency: ConcurrencyLimits;
}

/**
 * Starts processing automations.
 * Deliveries are attempted soon after they are added, time-based triggers once a minute. The instances of an
 * installation share the work.
 * @returns a function that stops processing after in-flight jobs have finished
 */
export const startAutomations = async (
  { attempts, webhooks, concurrency }: RunnerOptions,
  database: Database,
  log: Logger,
): Promise<() => Promise<void>> => {
  const dependencies: DeliveryDependencies = {
    database,
    send: createWebhooks(webhooks),
    fields: createTenantFields(resources),
    attempts,
    log,
    now: () => new Date(),
  };
  const queue = await startQueue(database, log, async queue => {
    await queue.work(queues.scan, { pollingIntervalSeconds: 5 }, async () => {
      await scan(database, dependencies.now(), log);
      await finishMoves(dependencies);
    });
    await queue.schedule(queues.scan, '* * * * *', null, { tz: 'UTC' });
  });
  const stopFollower = startFollower(database, dependencies.fields, log);
  const timeout = webhooks.timeout + stopMargin;
  const stopCourier = startCourier(queue, dependencies, concurrency, timeout);
  return async () => {
    await Promise.all([stopFollower(), stopCourier()]);
    await queue.stop({ graceful: true, close: false, timeout });
  };
};
