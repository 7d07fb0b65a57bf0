import type { Logger } from 'pino';
import { announce, newKey } from '../administration/channel.ts';
import { administrationRoutes, type RunCommand } from '../administration/commands.ts';
import type { Database } from '../db/open.ts';
import { createFiles, type Files } from '../files/files.ts';
import { healthRoutes } from '../http/connection/health.ts';
import { type InternalPort, openInternalPort } from '../http/connection/internal/internal.ts';
import type { CertificatePair, Listener } from '../http/connection/listen.ts';
import { settleMemory } from '../http/connection/memory.ts';
import { type Counter, memoryCounter } from '../http/request/rate-limit.ts';
import type { RedisCounter } from '../http/request/redis-quota.ts';
import { createTokens, type Tokens } from '../tenancy/tokens.ts';
import { administrationOf } from './administration-of.ts';
import { type Config, readConfig } from './config/config.ts';
import { describeFailure } from './describe-failure.ts';
import { greet } from './greeting.ts';
import { type EndJob, startJobs } from './jobs/jobs.ts';
import { loadKeys } from './load-keys.ts';
import { followSignal, openLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { openConfigured } from './open-configured.ts';
import { hasTenants, prepareDemo, prepareSchema, untilAvailable } from './prepare.ts';
import { serve } from './serve.ts';
import { sharedCounter } from './shared-counter.ts';
import { stopOnSignals } from './shutdown.ts';
import { stoppedEarly } from './stopped-early.ts';
import { authorityFile } from './tls/certificate.ts';
import { followCertificate } from './tls/renewal.ts';
import { version } from './version.ts';
import { startWorkers, type Workers } from './workers/workers.ts';

/** A server that starts, runs or stops. */
interface RunningServer {
  readonly config: Config;
  readonly log: Logger;
  readonly database: Database;
  readonly tokens: Tokens;
  readonly files: Files;
  readonly stopping: AbortController;
  /** What an orchestrator reads as the reason why the server is not ready; null: it is. */
  pending: string | null;
  workers: Workers | null;
}

/**
 * Starts the server: it listens at once, and serves requests when the database is prepared.
 * Resolves then, or once it is stopped.
 * @param signalsTaken is called when signals are handled here
 * @param runCommand runs commands of the command line beside the server, on its embedded database
 */
const start = async (config: Config, signalsTaken: () => void, runCommand: RunCommand): Promise<void> => {
  const server = await openServer(config);
  const metrics = metricsOf(server);
  const key = newKey();
  // Before any work: a port that is in use ends the start at once.
  const internal = await openInternal(server, metrics, key, runCommand);
  const shared = config.workers === 1 ? await sharedCounter(config, server.log) : null;
  const api = await openApi(server, metrics, shared ?? memoryCounter(config.rateLimit.period));
  const withdraw = announceServer(server, internal.port, key);
  const jobs: EndJob[] = [];
  const prepared = prepare(server, { internal, api }, jobs, shared);
  stopOnSignals(
    {
      unready: () => {
        server.stopping.abort();
        api.retire();
        server.database.wakeups.stop();
      },
      drain: async () => {
        // What has begun is completed or rolled back, so that the next start finds a whole state.
        await prepared.catch(() => {});
        await Promise.all([api.close(), ...jobs.map(end => end())]);
      },
      close: async () => {
        withdraw();
        await Promise.all([server.database.close(), shared?.close()]);
        await internal.close();
      },
    },
    config.shutdown,
    server.log,
  );
  // Only now: without any handler a signal that has come meanwhile would be lost.
  signalsTaken();
  await prepared.catch(error => {
    if (!server.stopping.signal.aborted || !isAborted(error)) throw error;
    process.stdout.write(stoppedEarly);
  });
};

const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

const openServer = async (config: Config): Promise<RunningServer> => {
  const log = openLog(config.logLevel);
  followSignal(log);
  const database = openConfigured(config, log);
  const tokens = createTokens({ database, keys: loadKeys(config), issuer: config.jwt.issuer });
  const files = await createFiles(config.files);
  return { config, log, database, tokens, files, stopping: new AbortController(), pending: 'starting', workers: null };
};

const metricsOf = (server: RunningServer): Metrics =>
  createMetrics({
    database: server.database,
    prepared: () => server.pending === null,
    version,
    ofWorkers: () => server.workers?.metrics(),
  });

/** Returns why the server is not ready; null: it is. @throws DatabaseError */
const unreadyReason = async ({ stopping, pending, workers, database }: RunningServer): Promise<string | null> => {
  if (stopping.signal.aborted) return 'stopping';
  if (pending !== null) return pending;
  if (workers && !workers.listening()) return 'waiting for a worker';
  await database.ping();
  return null;
};

/** Opens the internal port: health checks, metrics, commands and the administration. */
const openInternal = (
  server: RunningServer,
  metrics: Metrics,
  key: string,
  runCommand: RunCommand,
): Promise<InternalPort> => {
  const { config, database, tokens, files, log } = server;
  const ready = () => server.pending === null && !server.stopping.signal.aborted;
  const health = healthRoutes(() => unreadyReason(server));
  const commands = database.kind === 'embedded' ? administrationRoutes({ key, database, ready, run: runCommand }) : {};
  return openInternalPort(
    { port: config.internalPort, host: config.internalHost, tls: config.internalTls },
    { ...health, ...metrics.routes, ...commands },
    administrationOf(config, { database, tokens, files, log, ready }),
  );
};

/** Opens the port of the API, served by this process or by workers. */
const openApi = async (server: RunningServer, { observe }: Metrics, counter: Counter): Promise<Listener> => {
  const { config, log, database, tokens, files } = server;
  if (config.workers === 1)
    return serve(config, { database, tokens, files, log, counter, observe, ready: () => server.pending === null });
  server.workers = await startWorkers(config.workers, log);
  return server.workers;
};

/** Announces the server to commands beside it. @returns a function that withdraws the announcement */
const announceServer = ({ config, database }: RunningServer, port: number, key: string): (() => void) =>
  database.kind === 'embedded' ? announce(config.dataDir, { host: config.internalHost, port, key }) : () => {};

/** Prepares the database, then serves. @throws AbortError if the server is stopped before */
const prepare = async (
  server: RunningServer,
  { internal, api }: { readonly internal: InternalPort; readonly api: Listener },
  jobs: EndJob[],
  shared: RedisCounter | null,
): Promise<void> => {
  const { config, log, database, tokens, files, stopping } = server;
  const migrations = await migrate(server);
  stopping.signal.throwIfAborted();
  server.pending = 'creating demo data';
  const demo = await prepareDemo(database, tokens, files, config, stopping.signal);
  server.pending = 'starting';
  const certify = (renewed: CertificatePair): void => {
    api.certify(renewed);
    internal.certify(renewed);
  };
  jobs.push(followCertificate(config, certify, log));
  await shared?.connected;
  const insistent = <T>(work: () => Promise<T>): Promise<T> => insist(server, 'starting', work);
  await startJobs(jobs, { ...server, insist: insistent });
  const empty = !(await insistent(() => hasTenants(database)));
  await settleMemory();
  server.pending = null;
  server.workers?.open();
  const greeting = { version, database: database.kind, migrations, dataDir: config.dataDir, empty, demo };
  const ports = { port: api.port, internalPort: internal.port };
  process.stdout.write(`${greet({ ...greeting, ...ports, authority: authorityFile(config) }).join('\n')}\n`);
  if (database.kind === 'postgres' && !config.jwt.keys)
    log.warn(
      `tokens are signed with a key of this machine (${config.dataDir}): several instances need JWT_KEYS in common`,
    );
};

/** Waits for the database and prepares its schema. @returns the names of the applied migrations */
const migrate = (server: RunningServer): Promise<readonly string[]> => {
  const { config, database, stopping } = server;
  return insist(server, 'migrating', () => prepareSchema(database, config.database.migrate, stopping.signal));
};

/** Does the work of a stage of the start, and again until the database is available. */
const insist = <T>(server: RunningServer, stage: string, work: () => Promise<T>): Promise<T> => {
  const { log, stopping } = server;
  const attempt = () => {
    server.pending = stage;
    return work();
  };
  const unavailable = (cause: unknown) => {
    server.pending = 'waiting for the database';
    log.warn(
      { cause: cause instanceof Error ? cause.message : undefined },
      'the database is not available, trying again',
    );
  };
  return untilAvailable(attempt, unavailable, stopping.signal);
};

/** Starts the server as the environment says; on failure ends the process with 1 and a message. */
export const run = async (signalsTaken: () => void, runCommand: RunCommand): Promise<void> => {
  // What nobody reads any more ends no server.
  process.stdout.on('error', () => {});
  try {
    await start(readConfig(), signalsTaken, runCommand);
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`);
    process.exit(1);
  }
};
