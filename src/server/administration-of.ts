import type { AdministrationOptions } from '../administration/api/administration.ts';
import type { Files } from '../files/files.ts';
import type { InternalRoute } from '../http/connection/internal/route.ts';
import { memoryCounter } from '../http/request/rate-limit.ts';
import { createHostsOf } from '../tenancy/tenants.ts';
import { createPerformer } from './api.ts';
import type { Config } from './config/config.ts';

/** What the administration of a server works with. */
interface AdministrationDependencies extends Pick<AdministrationOptions, 'database' | 'tokens' | 'log' | 'ready'> {
  readonly files: Files;
}

/**
 * Returns what serves the administration API and its page, made at the first request.
 * Most servers are never asked.
 */
export const administrationOf = (config: Config, parts: AdministrationDependencies): InternalRoute => {
  let made: Promise<InternalRoute> | null = null;
  return async request => {
    made ??= make(config, parts).catch(error => {
      // The next request tries again.
      made = null;
      throw error;
    });
    return (await made)(request);
  };
};

const make = async (
  { baseDomain, internalTls, rateLimit, concurrency, limits, automations }: Config,
  { database, files, ...parts }: AdministrationDependencies,
): Promise<InternalRoute> => {
  const { createAdministration } = await import('../administration/api/administration.ts');
  return createAdministration({
    ...parts,
    database,
    perform: createPerformer({
      database,
      services: { files, hostsOf: createHostsOf(database, baseDomain), wakeups: database.wakeups },
      rateLimit: { ...rateLimit, counter: memoryCounter(rateLimit.period) },
      concurrency,
      limits,
      attempts: automations.attempts,
      log: parts.log,
    }),
    baseDomain,
    certificate: internalTls?.cert ?? null,
  });
};
