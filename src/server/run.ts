import { pino } from 'pino';
import { announce, newKey } from '../administration/channel.ts';
import { administrationRoutes, type RunCommand } from '../administration/commands.ts';
import { startAutomations } from '../automations/runner.ts';
import { createFiles } from '../files/files.ts';
import { healthRoutes } from '../http/connection/health.ts';
import { openInternalPort } from '../http/connection/internal/internal.ts';
import { settleMemory } from '../http/connection/memory.ts';
import { memoryCounter } from '../http/request/quota.ts';
import { startImports } from '../imports/worker.ts';
import { createTokens } from '../tenancy/tokens.ts';
import { administrationOf } from './administration-of.ts';
import { importParts } from './api.ts';
import { type Config, readConfig } from './config/config.ts';
import { describeFailure } from './describe-failure.ts';
import { greet } from './greeting.ts';
import { loadKeys } from './load-keys.ts';
import { followSignal } from './log-level.ts';
import { createMetrics } from './metrics/metrics.ts';
import { openConfigured } from './open-configured.ts';
import { hostsToCertify, prepareDemo, prepareSchema, untilAvailable } from './prepare.ts';
import { serve } from './serve.ts';
import { sharedCounter } from './shared-counter.ts';
import { stopOnSignals } from './shutdown.ts';
import { stoppedEarly } from './stopped-early.ts';
import { startSweeper } from './sweeper.ts';
import { loadCertificate } from './tls/certificate.ts';
import { followCertificate } from './tls/renewal.ts';
import { version } from './version.ts';
import { startWorkers, type Workers } from './workers/workers.ts';

const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/**
 * Starts the server: it listens at once, and serves requests when the database is prepared. Resolves then, or once it is stopped.
 * @param signalsTaken is called when signals are handled here
 * @param runCommand runs commands of the command line beside the server, on its embedded database
 */
const start = async (config: Config, signalsTaken: () => void, runCommand: RunCommand): Promise<void> => {
  // Logs go to stderr; stdout is for the person who started the server.
  const log = pino({ level: config.logLevel }, pino.destination(2));
  followSignal(log);
  /** What an orchestrator reads as the reason why the server is not ready; null: it is. */
  let pending: string | null = 'starting';
  const stopping = new AbortController();

  const database = openConfigured(config, log);
  const tokens = createTokens({ database, keys: loadKeys(config), issuer: config.jwt.issuer });
  const files = await createFiles(config.files);
  let workers: Workers | null = null;
  const metrics = createMetrics({
    database,
    prepared: () => pending === null,
    version,
    ofWorkers: () => workers?.metrics(),
  });
  const health = healthRoutes({
    unready: async () => {
      if (stopping.signal.aborted || pending !== null) return stopping.signal.aborted ? 'stopping' : pending;
      if (workers && !workers.listening()) return 'waiting for a worker';
      await database.ping();
      return null;
    },
  });

  const key = newKey();
  const ready = () => pending === null && !stopping.signal.aborted;
  const commands = database.kind === 'embedded' ? administrationRoutes({ key, database, ready, run: runCommand }) : {};

  // Before any work: a port that is in use ends the start at once.
  const internal = await openInternalPort(
    { port: config.internalPort, host: config.internalHost, tls: config.internalTls },
    { ...health, ...metrics.routes, ...commands },
    administrationOf(config, { database, tokens, files, log, ready }),
  );
  const shared = config.workers === 1 ? await sharedCounter(config, log) : null;
  const counter = shared ?? memoryCounter(config.rateLimit.period);
  if (config.workers > 1) workers = await startWorkers(config.workers, log);
  const api =
    workers ??
    (await serve(config, {
      ...{ database, tokens, files, counter, log, observe: metrics.observe },
      ready: () => pending === null,
    }));

  const withdraw =
    database.kind === 'embedded'
      ? announce(config.dataDir, { host: config.internalHost, port: internal.port, key })
      : () => {};
  let stopSweeper = (): void => {};
  let stopFollowing = (): void => {};
  let stopAutomations = async (): Promise<void> => {};
  let stopImports = async (): Promise<void> => {};

  /** Prepares the database, then serves. @throws AbortError if the server is stopped before all data is there */
  const prepare = async (): Promise<void> => {
    const migrating = () => {
      pending = 'migrating';
      return prepareSchema(database, config.database.migrate, stopping.signal);
    };
    const unavailable = (cause: unknown) => {
      pending = 'waiting for the database';
      log.warn(
        { cause: cause instanceof Error ? cause.message : undefined },
        'the database is not available, trying again',
      );
    };
    const migrations = await untilAvailable(migrating, unavailable, stopping.signal);
    stopping.signal.throwIfAborted();
    pending = 'creating demo data';
    const demo = await prepareDemo(database, tokens, files, config, stopping.signal);
    pending = 'starting';
    const certificate = await loadCertificate(config, await hostsToCertify(database, config.baseDomain));
    api.certify(certificate);
    stopFollowing = followCertificate(
      config,
      renewed => {
        api.certify(renewed);
        internal.certify(renewed);
      },
      log,
    );
    await shared?.connected;
    stopSweeper = startSweeper(files, database, config.changesRetention, log);
    if (config.automations.run) stopAutomations = await startAutomations(config.automations, database, log);
    if (config.imports) {
      const cells = { defused: config.formats.defuseCsv, depth: config.limits.jsonDepth };
      stopImports = await startImports(importParts({ database, files, cells, log }));
    }
    await settleMemory();
    pending = null;
    workers?.open();

    const lines = greet({
      version,
      port: api.port,
      internalPort: internal.port,
      database: database.kind,
      migrations,
      dataDir: config.dataDir,
      certificate: certificate.path,
      demo,
    });
    process.stdout.write(`${lines.join('\n')}\n`);
    if (database.kind === 'postgres' && !config.jwt.keys) {
      log.warn(
        `tokens are signed with a key of this machine (${config.dataDir}): several instances need JWT_KEYS in common`,
      );
    }
  };

  const prepared = prepare();
  signalsTaken();
  stopOnSignals(
    {
      unready: () => {
        stopping.abort();
        api.retire();
        database.wakeups.stop();
      },
      drain: async () => {
        // What has begun is completed or rolled back, so that the next start finds a whole state.
        await prepared.catch(() => {});
        await Promise.all([api.close(), stopAutomations(), stopImports()]);
      },
      close: async () => {
        stopSweeper();
        stopFollowing();
        withdraw();
        await database.close();
        await internal.close();
      },
    },
    config.shutdown,
    log,
  );
  await prepared.catch(error => {
    if (!stopping.signal.aborted || !isAborted(error)) throw error;
    process.stdout.write(stoppedEarly);
  });
};

/** Starts the server as the environment configures it; ends the process with 1 and a message if it can't be started. */
export const run = async (signalsTaken: () => void, runCommand: RunCommand): Promise<void> => {
  try {
    await start(readConfig(), signalsTaken, runCommand);
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`);
    process.exit(1);
  }
};
