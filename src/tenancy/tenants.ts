import type { Tenant } from '../core/principal.ts';
import { type Module, modules } from '../core/resource/modules.ts';
import { CountedCache } from '../core/tally.ts';
import { rowsOf } from '../db/kysely.ts';
import type { Database } from '../db/open.ts';
import { isSlug } from './names.ts';

/** The look-up of tenants by host name. */
export interface Tenants {
  /**
   * The active tenant of a host name, by its slug under the base domain or by a registered host name; null if there is none.
   * @param host in lower case, without a port
   */
  findTenant(host: string): Promise<Tenant | null>;
  /** Returns the host names of a tenant: the one under the base domain, then its own by name. */
  hostsOf(tenant: Tenant): Promise<readonly string[]>;
}

/** Milliseconds for which a result is cached, including "no tenant". */
const cacheTime = 1_000;

/** The columns of `tenants` that `toTenant` reads. */
export const tenantColumns = [
  'tenants.id',
  'tenants.slug',
  'tenants.name',
  'tenants.time_zone',
  'tenants.modules',
  'tenants.rate_limit',
  'tenants.sandbox',
  'tenants.clock_ahead',
] as const;

/** A row with these columns. */
interface TenantRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly time_zone: string;
  readonly modules: readonly string[];
  readonly rate_limit: number | null;
  readonly sandbox: boolean;
  readonly clock_ahead: number;
}

/** Converts a row of `tenants` to a Tenant, without modules that this version does not know. */
export const toTenant = (row: TenantRow): Tenant => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  timeZone: row.time_zone,
  modules: new Set<Module>(modules.filter(module => row.modules.includes(module))),
  rateLimit: row.rate_limit,
  sandbox: row.sandbox,
  clockAhead: row.clock_ahead,
});

/** The slug in a host name of the form `<slug>.<base domain>`; null for any other host name. */
const slugOf = (host: string, baseDomain: string): string | null => {
  if (!host.endsWith(`.${baseDomain}`)) return null;
  const label = host.slice(0, -baseDomain.length - 1);
  return isSlug(label) ? label : null;
};

/** The slug under the base domain, or null, precedes the registered host name. */
const tenantOfHost = `select ${tenantColumns.join(', ')} from tenants where active and id = coalesce(
  (select id from tenants where slug = $1 and active), (select tenant_id from tenant_hosts where host = $2))`;

/** Creates the look-up of tenants by host name, cached except for sandboxes. Concurrent requests for one host share one query. */
export const createTenants = (database: Pick<Database, 'system' | 'ask'>, baseDomain: string): Tenants => {
  const known = new CountedCache<string, Promise<Tenant | null>>('tenants', { max: 10_000, ttl: cacheTime });

  const read = async (host: string): Promise<Tenant | null> => {
    const [row] = rowsOf<TenantRow>(
      await database.ask({ name: 'tenant_of_host', text: tenantOfHost, values: [slugOf(host, baseDomain), host] }),
    );
    return row ? toTenant(row) : null;
  };

  const readKnown = (host: string): Promise<Tenant | null> => {
    const cached = known.get(host);
    if (cached) return cached;
    const pending = read(host);
    known.set(host, pending);
    pending.catch(() => known.delete(host));
    return pending;
  };

  return {
    hostsOf: async ({ id, slug }) => {
      const own = database.system.selectFrom('tenant_hosts').select('host').where('tenant_id', '=', id).orderBy('host');
      return [`${slug}.${baseDomain}`, ...(await own.execute()).map(({ host }) => host)];
    },
    findTenant: async host => {
      const tenant = await readKnown(host);
      // Whoever has moved its clock sees the new time in the next response.
      return tenant?.sandbox ? read(host) : tenant;
    },
  };
};
