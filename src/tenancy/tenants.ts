import type { Tenant } from '../core/principal.ts';
import { modulesOf } from '../core/resource/modules.ts';
import type { Database } from '../db/open.ts';

/** What is read of a tenant for its requests. */
export interface TenantRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly time_zone: string;
  readonly modules: readonly string[];
  readonly rate_limit: number | null;
  readonly sandbox: boolean;
  readonly clock_ahead: number;
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

/** Returns the function that reads a tenant's hosts: under the base domain, then its own by name. */
export const createHostsOf =
  ({ system }: Pick<Database, 'system'>, baseDomain: string) =>
  async ({ id, slug }: Tenant): Promise<readonly string[]> => {
    const own = await system
      .selectFrom('tenant_hosts')
      .select('host')
      .where('tenant_id', '=', id)
      .orderBy('host')
      .execute();
    return [`${slug}.${baseDomain}`, ...own.map(({ host }) => host)];
  };
