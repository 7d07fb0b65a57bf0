import { setTimeout as pause } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { queues } from '../db/queue.ts';
import { type Claimed, type ConcurrencyLimits, claimJobs, returnJob } from './claim.ts';
import { type DeliveryDependencies, deliver } from './deliver.ts';

/** Milliseconds. */
const POLL = 1_000;
/**
 * Milliseconds between two heartbeats of a claimed job.
 * A job whose process has died is taken over after 30 seconds without a heartbeat (migration of the job queue).
 */
const HEARTBEAT = 10_000;

/**
 * Attempts the delivery of a claimed job.
 * The job stays in the queue if the attempt itself fails, for example on a database error.
 */
export const attempt = async (job: Claimed, queue: PgBoss, dependencies: DeliveryDependencies): Promise<void> => {
  try {
    const outcome = await deliver(job.data, dependencies);
    if (outcome === 'postponed') await returnJob(job, dependencies.database.queue);
    else await queue.complete(queues.deliveries, [job]);
  } catch (error) {
    dependencies.log.warn({ err: error, delivery: job.data.delivery_id }, 'A delivery could not be attempted.');
    await queue.fail(queues.deliveries, [job]).catch(() => {});
  }
};

/**
 * Attempts deliveries as they become due, each in a place of its own.
 * A receiver that does not respond takes no more places than its tenant and its host may have.
 * @param timeout milliseconds that are waited for attempts in progress when it is stopped
 * @returns a function that stops it
 */
export const startCourier = (
  queue: PgBoss,
  dependencies: DeliveryDependencies,
  limits: ConcurrencyLimits,
  timeout: number,
): (() => Promise<void>) => {
  const { database, log } = dependencies;
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  let claiming: Promise<void> | null = null;
  let again = false;

  const start = (job: Claimed): void => {
    const done = attempt(job, queue, dependencies).finally(() => {
      running.delete(job.id);
      claim();
    });
    running.set(job.id, done);
  };

  /** Claims what there is room for; a call while another claims has it claim once more. */
  const claim = (): void => {
    again = true;
    claiming ??= (async () => {
      while (again && !stopping.signal.aborted) {
        again = false;
        const room = limits.process - running.size;
        if (room > 0) for (const job of await claimJobs(room, limits, database.queue)) start(job);
      }
    })()
      .catch(error => log.warn({ err: error }, 'Deliveries could not be claimed.'))
      .finally(() => {
        claiming = null;
      });
  };

  const beat = (): void => {
    if (running.size === 0) return;
    const refreshed = queue.touch(queues.deliveries, [...running.keys()]);
    refreshed.catch(error => log.warn({ err: error }, 'Deliveries in progress could not be reported.'));
  };

  claim();
  const timers = [setInterval(claim, POLL), setInterval(beat, HEARTBEAT)];
  return async () => {
    stopping.abort();
    await claiming;
    const ending = new AbortController();
    await Promise.race([
      Promise.all(running.values()),
      pause(timeout, undefined, { signal: ending.signal }).catch(() => {}),
    ]);
    ending.abort();
    for (const timer of timers) clearInterval(timer);
  };
};
