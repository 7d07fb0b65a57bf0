import type { Logger } from 'pino';
import type { Database } from '../db/open.ts';
import type { Files } from '../files/files.ts';
import { type Listener, listen } from '../http/connection/listen.ts';
import type { Finished } from '../http/request/log.ts';
import { trustProxies } from '../http/request/proxy.ts';
import { addressHeaders, type Counter } from '../http/request/rate-limit.ts';
import { Spools } from '../http/response/spool.ts';
import { createCallers } from '../tenancy/caller/callers.ts';
import { createHostsOf } from '../tenancy/tenants.ts';
import type { Tokens } from '../tenancy/tokens.ts';
import { startActivity } from './activity.ts';
import { createApi } from './api.ts';
import type { Config } from './config/config.ts';
import { loadCertificate } from './tls/certificate.ts';

/** The parts of a process that serves the API. */
export interface ServerParts {
  readonly database: Database;
  readonly tokens: Tokens;
  readonly files: Files;
  readonly counter: Counter;
  /** Until then, the response to all requests is 503. */
  readonly ready: () => boolean;
  readonly observe: (request: Finished) => void;
  readonly log: Logger;
}

/** Serves the API on its port. @throws Error of the system if it cannot listen */
export const serve = async (
  config: Config,
  { counter, database, tokens, files, observe, ...parts }: ServerParts,
): Promise<Listener> => {
  const rateLimit = { ...config.rateLimit, counter };
  const activity = startActivity(database, parts.log);
  const app = createApi({
    ...parts,
    database,
    observe: request => {
      observe(request);
      activity.observe(request);
    },
    services: { files, hostsOf: createHostsOf(database, config.baseDomain), wakeups: database.wakeups },
    proxies: trustProxies(config.trustProxy),
    callers: createCallers({ database, baseDomain: config.baseDomain, readToken: tokens.read }),
    rateLimit,
    concurrency: config.concurrency,
    attempts: config.automations.attempts,
    limits: config.limits,
    spools: new Spools(config.spool),
    formats: config.formats,
    repeats: { bytes: config.readCache, holds: database.holds },
  });
  const listener = await listen(app.callback(), {
    port: config.port,
    host: config.host,
    tls: await loadCertificate(config),
    grace: config.shutdown.timeout,
    quota: addressHeaders(rateLimit),
    times: { body: config.limits.bodyTimeout },
  });
  return {
    ...listener,
    async close() {
      await listener.close();
      await activity.stop();
    },
  };
};
