import { ApiError } from '../core/errors.ts';
import type { Tenant } from '../core/principal.ts';
import { modulesOf } from '../core/resource/modules.ts';
import type { Database } from '../db/open.ts';
import { type Address, readCaller, type TenantRow } from './caller.ts';
import { LookUps, type Remembered } from './look-ups.ts';
import { isSlug } from './names.ts';
import { type Presumption, presumptionOf, type Trust } from './presumption.ts';
import type { Presented } from './tokens.ts';

/** The look-up of tenants by host name. */
export interface Tenants {
  /**
   * The tenant of a host name, by its slug under the base domain or by a registered host name; null if there is none.
   * @param host in lower case, without a port
   * @param token the token that the request has: if the tenant has to be read, so is what its token may do
   * @param trust a presumption takes an active tenant that was found before, however long ago; default: null
   * @throws ApiError tenant_disabled
   */
  findTenant(host: string, token?: string | null, trust?: Trust): Promise<Tenant | null>;
  /** Returns the host names of a tenant: the one under the base domain, then its own by name. */
  hostsOf(tenant: Tenant): Promise<readonly string[]>;
}

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

/** Converts a row of `tenants` to a Tenant. */
export const toTenant = (row: TenantRow): Tenant => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  timeZone: row.time_zone,
  modules: modulesOf(row.modules),
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

interface Found {
  readonly tenant: Tenant;
  /** False: it is disabled. */
  readonly active: boolean;
  /** See CallerTexts. */
  readonly text: string;
}

/**
 * Creates the look-up of tenants by host name, cached (also that there is none) except for sandboxes. Concurrent requests for one host
 * share one query.
 * @param options `present`: see Tokens; `clock` (milliseconds) replaces the system clock
 */
export const createTenants = (
  database: Pick<Database, 'system' | 'ask'>,
  baseDomain: string,
  options: { readonly present?: (token: string) => Presented | null; readonly clock?: () => number } = {},
): Tenants => {
  const { present = () => null, clock } = options;
  const known = new LookUps<Found>('tenants', clock);
  const addressOf = (host: string): Address => ({ slug: slugOf(host, baseDomain), host });

  const read = async (host: string, token: string | null): Promise<Found | null> => {
    const presented = token === null ? null : present(token);
    const row = await readCaller(database, addressOf(host), presented);
    if (!row) return null;
    const found = { tenant: toTenant(row), active: row.active, text: row.texts.tenant };
    presented?.learn(found.tenant, row);
    return found;
  };

  /** Takes an active tenant for granted; not a sandbox, which is read for each request. */
  const assuming = (host: string, presumption: Presumption) => (last: Remembered<Found>) => {
    const { active, tenant } = last.found;
    if (!active || tenant.sandbox) return false;
    presumption.assume({ last, part: 'tenant', address: addressOf(host) });
    return true;
  };

  return {
    hostsOf: async ({ id, slug }) => {
      const own = database.system.selectFrom('tenant_hosts').select('host').where('tenant_id', '=', id).orderBy('host');
      return [`${slug}.${baseDomain}`, ...(await own.execute()).map(({ host }) => host)];
    },
    findTenant: async (host, token = null, trust = null) => {
      const presumption = presumptionOf(trust);
      const assume = presumption && assuming(host, presumption);
      let isOwn = false;
      const readOwn = () => {
        isOwn = true;
        return read(host, token);
      };
      const found = await known.find(host, readOwn, assume);
      // Whoever has moved its clock sees the new time in the next response: not what another request has read.
      const isOld = found?.tenant.sandbox && !isOwn && trust !== 'recent';
      const current = isOld ? await known.renew(host, () => read(host, null)) : found;
      const { tenant = null, active = true } = current ?? {};
      if (!active) throw new ApiError('tenant_disabled');
      return tenant;
    },
  };
};
