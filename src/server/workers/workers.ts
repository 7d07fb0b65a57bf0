import cluster, { type Worker } from 'node:cluster';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import type { Listener } from '../../http/connection/listen.ts';
import type { FromWorker, MetricValues, Situation, ToWorker } from './messages.ts';

/** The processes that serve the API on one port. */
export interface Workers extends Listener {
  /** Has the workers serve requests: the database is prepared. */
  open(): void;
  /** Returns whether a worker listens. */
  listening(): boolean;
  /** Returns the metrics of the workers that respond in time. */
  metrics(): Promise<readonly MetricValues[]>;
}

/** Milliseconds. */
const times = {
  /** Until a worker that could not be started is started again. */
  pause: 1000,
  /** For a worker's metrics. */
  metrics: 2000,
};

/**
 * Starts worker processes, which serve the API on one port and are given its connections in turn.
 * Starts another when one ends. Their log level is that of `log`.
 * @throws Error with the `code` and `port` of the system's error if they cannot listen
 */
export const startWorkers = async (count: number, log: Logger): Promise<Workers> => {
  cluster.setupPrimary({ exec: new URL('./worker.ts', import.meta.url).pathname });
  // Counts the requests that all workers respond to.
  new RateLimiterClusterMaster();
  const workers = new Set<Worker>();
  let situation: Situation = { ready: false, logLevel: log.level, certificate: null };
  let port = 0;
  let [retired, stopping] = [false, false];

  const send = (message: ToWorker): void => {
    // A worker that can't be reached has ended, and is replaced.
    for (const worker of workers) worker.send(message, () => {});
  };
  const change = (changed: Partial<Situation>): void => {
    situation = { ...situation, ...changed };
    send({ situation });
  };

  const listens = (worker: Worker, at: number): void => {
    port = at;
    workers.add(worker);
    worker.send({ situation } satisfies ToWorker, () => {});
    if (retired) worker.send({ end: 'retire' } satisfies ToWorker, () => {});
  };
  const ended = (worker: Worker, status: number, signal: string): void => {
    if (!workers.delete(worker) || stopping) return;
    log.error({ ended: worker.process.pid, status, signal }, 'a worker has ended: another one is started');
    void replace();
  };
  const start = (): Promise<void> => startWorker(listens, ended);

  const replace = async (): Promise<void> => {
    while (!stopping) {
      try {
        return await start();
      } catch (error) {
        log.error({ err: error }, 'a worker could not be started');
        await wait(times.pause, undefined, { ref: false });
      }
    }
  };

  await start();
  await Promise.all(Array.from({ length: count - 1 }, start));
  log.on('level-change', logLevel => change({ logLevel }));

  return {
    port,
    certify: ({ cert, key }) => change({ certificate: { cert, key } }),
    open: () => change({ ready: true }),
    listening: () => workers.size > 0,
    metrics: async () => {
      const found = await Promise.all([...workers].map(metricsOf));
      return found.filter(values => values !== null);
    },
    retire: () => {
      retired = true;
      send({ end: 'retire' });
    },
    close: async () => {
      stopping = true;
      send({ end: 'close' });
      const all = Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined);
      // One that does not listen yet has no request.
      for (const worker of all) if (!workers.has(worker)) worker.process.kill('SIGKILL');
      await Promise.all(all.map(worker => worker.isDead() || new Promise(resolve => worker.once('exit', resolve))));
    },
  };
};

/** Starts a worker and resolves when it listens. */
const startWorker = (
  listens: (worker: Worker, port: number) => void,
  ended: (worker: Worker, status: number, signal: string) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = cluster.fork();
    worker.on('message', (message: FromWorker | object) => {
      if ('failed' in message) reject(Object.assign(new Error(message.failed.message), message.failed));
      if (!('listening' in message)) return;
      listens(worker, message.listening);
      resolve();
    });
    // For each message that it can't be sent any more; its exit follows.
    worker.on('error', reject);
    worker.once('exit', (status, signal) => {
      reject(new Error(`A worker ended with ${signal ?? status} before it listened.`));
      ended(worker, status, signal);
    });
  });

let questions = 0;

/** Returns the metrics of a worker; null if it does not respond in time. */
const metricsOf = async (worker: Worker): Promise<MetricValues | null> => {
  const id = ++questions;
  const { promise, resolve } = Promise.withResolvers<MetricValues | null>();
  const hear = (message: FromWorker | object): void => {
    if ('metrics' in message && message.id === id) resolve(message.metrics);
  };
  const late = setTimeout(() => resolve(null), times.metrics);
  worker.on('message', hear).send({ metrics: id } satisfies ToWorker, error => error && resolve(null));
  const found = await promise;
  clearTimeout(late);
  worker.off('message', hear);
  return found;
};
