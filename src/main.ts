import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { startAutomations } from './automations/runner.ts';
import { createFiles } from './files/files.ts';
import { createInternalApp } from './http/connection/health.ts';
import { type Listener, listen } from './http/connection/listen.ts';
import { trustProxies } from './http/request/proxy.ts';
import { memoryCounter } from './http/request/quota.ts';
import { addressHeaders } from './http/request/rate-limit.ts';
import { redisCounter } from './http/request/redis-quota.ts';
import { Spools } from './http/response/spool.ts';
import { createApi } from './server/api.ts';
import { type Config, readConfig } from './server/config/config.ts';
import { describeFailure } from './server/describe-failure.ts';
import { greet } from './server/greeting.ts';
import { loadKeys } from './server/load-keys.ts';
import { openConfigured } from './server/open-configured.ts';
import { hostsToCertify, prepareDemo, prepareSchema, untilAvailable } from './server/prepare.ts';
import { stopOnSignals } from './server/shutdown.ts';
import { startSweeper } from './server/sweeper.ts';
import { loadCertificate } from './server/tls.ts';
import { createTenants } from './tenancy/tenants.ts';
import { createTokens } from './tenancy/tokens.ts';

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Starts the server; resolves once it listens. */
const start = async (config: Config): Promise<void> => {
  // Logs go to stderr; stdout is for the person who started the server.
  const log = pino({ level: config.logLevel }, pino.destination(2));
  const database = openConfigured(config, log);
  const keys = loadKeys(config);
  const tokens = createTokens({ database, keys, issuer: config.jwt.issuer });
  const files = createFiles(config.files);
  const tenants = createTenants(database, config.baseDomain);
  const listeners: Listener[] = [];
  let stopSweeper = (): void => {};
  let stopAutomations = async (): Promise<void> => {};
  let state: 'starting' | 'ready' | 'stopping' = 'starting';

  stopOnSignals(
    {
      unready: () => {
        state = 'stopping';
        listeners.at(1)?.retire();
      },
      drain: async () => {
        await Promise.all([listeners.at(1)?.close(), stopAutomations()]);
      },
      close: async () => {
        stopSweeper();
        await database.close();
        await listeners[0]?.close();
      },
    },
    config.shutdown,
    log,
  );

  const unready = async () => {
    if (state !== 'ready') return state;
    await database.ping();
    return null;
  };
  const internal = createInternalApp({ unready }).callback();
  listeners.push(await listen(internal, { port: config.internalPort, host: config.internalHost, tls: null, grace: 1 }));

  const migrations = await untilAvailable(() => prepareSchema(database, config.database.migrate), log);
  const demo = await prepareDemo(database, tokens, files, config);
  const certificate = await loadCertificate(config, await hostsToCertify(database, config.baseDomain));

  const { period } = config.rateLimit;
  const shared = config.redisUrl ? await redisCounter(config.redisUrl, period, log) : null;
  const rateLimit = { ...config.rateLimit, counter: shared ?? memoryCounter(period) };
  const app = createApi({
    database,
    services: { files },
    log,
    proxies: trustProxies(config.trustProxy),
    findTenant: tenants.findTenant,
    verifyToken: tokens.verifyToken,
    rateLimit,
    concurrency: config.concurrency,
    limits: config.limits,
    spools: new Spools(config.spool),
    formats: config.formats,
  });
  const api = await listen(app.callback(), {
    port: config.port,
    host: config.host,
    tls: certificate,
    grace: config.shutdown.timeout,
    quota: addressHeaders(rateLimit),
  });
  listeners.push(api);
  stopSweeper = startSweeper(files, database, log);
  if (config.automations.run) stopAutomations = await startAutomations(config.automations, database, log);
  state = 'ready';

  const lines = greet({
    version: JSON.parse(textOf('../package.json')).version,
    port: api.port,
    internalPort: listeners[0]?.port ?? 0,
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

try {
  await start(readConfig());
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(1);
}
