import cluster from 'node:cluster';
import { closeSync } from 'node:fs';
import { hostname } from 'node:os';
import { RateLimiterCluster } from 'rate-limiter-flexible';
import { createFiles } from '../../files/files.ts';
import { settleMemory } from '../../http/connection/memory.ts';
import { createTokens } from '../../tenancy/tokens.ts';
import { readConfig } from '../config/config.ts';
import { loadKeys } from '../load-keys.ts';
import { openLog } from '../log.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { openConfigured } from '../open-configured.ts';
import { serve } from '../serve.ts';
import { sharedCounter } from '../shared-counter.ts';
import { stopInStages } from '../shutdown.ts';
import { version } from '../version.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/**
 * A worker: a process that serves the API on the port that it shares with others.
 * What is not a response to a request is done by the process that started it, which tells it when to begin and when to end; it ends
 * with that process.
 */
const send = (message: FromWorker): void => void process.send?.(message, () => {});

// A terminal or a service manager may send a signal to all processes, but the workers end when the first process says so.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGUSR2'] as const) process.on(signal, () => {});

const start = async (): Promise<void> => {
  const config = readConfig();
  const log = openLog(config.logLevel, { pid: process.pid, hostname: hostname(), worker: cluster.worker?.id });
  // Node would leave the outputs that all processes share as it found them: writes of the others would wait for a reader.
  process.once('exit', () => {
    for (const output of [1, 2]) closeSync(output);
  });
  let ready = false;
  const database = openConfigured(config, log);
  const { period } = config.rateLimit;
  const points = Number.MAX_SAFE_INTEGER;
  const shared = await sharedCounter(config, log);
  const counter = shared ?? new RateLimiterCluster({ keyPrefix: 'requests', points, duration: period });
  // The state of the jobs is that of the database: one process reports it.
  const metrics = createMetrics({ database, prepared: () => false, version });
  const api = await serve(config, {
    database,
    tokens: createTokens({ database, keys: loadKeys(config), issuer: config.jwt.issuer }),
    files: await createFiles(config.files),
    counter,
    log,
    ready: () => ready,
    observe: metrics.observe,
  });
  const retire = (): void => {
    api.retire();
    database.wakeups.stop();
  };
  const stop = stopInStages(
    {
      unready: retire,
      drain: () => api.close(),
      close: async () => void (await Promise.all([database.close(), shared?.close()])),
    },
    { ...config.shutdown, delay: 0 },
    log,
  );
  process.on('message', async (message: ToWorker | object) => {
    if ('situation' in message) {
      const { certificate, logLevel } = message.situation;
      ({ ready } = message.situation);
      log.level = logLevel;
      if (certificate) api.certify(certificate);
    } else if ('metrics' in message) {
      send({ id: message.metrics, metrics: await metrics.values() });
    } else if ('end' in message) {
      if (message.end === 'retire') retire();
      else stop();
    }
  });
  await settleMemory();
  send({ listening: api.port });
};

await start().catch((error: Error & { code?: string; port?: number }) => {
  const { message, code, port } = error;
  const failed = { message, ...(code !== undefined && { code }), ...(port !== undefined && { port }) };
  process.send?.({ failed } satisfies FromWorker, () => process.exit(1));
});
