import { LRUCache } from 'lru-cache';
import { type Module, modules } from '../core/modules.ts';
import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { isSlug } from './names.ts';

export interface Tenants {
  /** The tenant that a host name (lower case, no port) addresses: by its slug under the base domain, or registered. Null: none. */
  findTenant(host: string): Promise<Tenant | null>;
}

/** Milliseconds for which an answer counts, also "there is none". */
const memory = 1_000;

/** The columns of `tenants` that make a Tenant. */
export const tenantColumns = [
  'tenants.id',
  'tenants.slug',
  'tenants.name',
  'tenants.time_zone',
  'tenants.modules',
  'tenants.rate_limit',
] as const;

/** A Tenant of a row of `tenants`. Modules that this version does not know are left out. */
export const toTenant = (row: {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly time_zone: string;
  readonly modules: readonly string[];
  readonly rate_limit: number | null;
}): Tenant => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  timeZone: row.time_zone,
  modules: new Set<Module>(modules.filter(module => row.modules.includes(module))),
  rateLimit: row.rate_limit,
});

/** The slug that a host name under the base domain holds; null if it is not of that form. */
const slugOf = (host: string, baseDomain: string): string | null => {
  if (!host.endsWith(`.${baseDomain}`)) return null;
  const label = host.slice(0, -baseDomain.length - 1);
  return isSlug(label) ? label : null;
};

/** Tenants by host name. Requests for one host that come together share one query. */
export const createTenants = (database: Pick<Database, 'system'>, baseDomain: string): Tenants => {
  const known = new LRUCache<string, Promise<Tenant | null>>({ max: 10_000, ttl: memory });

  const bySlug = (slug: string) =>
    database.system
      .selectFrom('tenants')
      .select(tenantColumns)
      .where('tenants.slug', '=', slug)
      .where('tenants.active', '=', true)
      .executeTakeFirst();

  const byHost = (host: string) =>
    database.system
      .selectFrom('tenant_hosts')
      .innerJoin('tenants', 'tenants.id', 'tenant_hosts.tenant_id')
      .select(tenantColumns)
      .where('tenant_hosts.host', '=', host)
      .where('tenants.active', '=', true)
      .executeTakeFirst();

  const read = async (host: string): Promise<Tenant | null> => {
    const slug = slugOf(host, baseDomain);
    const row = (slug === null ? undefined : await bySlug(slug)) ?? (await byHost(host));
    return row ? toTenant(row) : null;
  };

  return {
    findTenant: host => {
      const remembered = known.get(host);
      if (remembered) return remembered;
      const asked = read(host);
      known.set(host, asked);
      asked.catch(() => known.delete(host));
      return asked;
    },
  };
};
