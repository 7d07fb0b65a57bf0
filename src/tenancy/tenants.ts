import type { Selectable } from 'kysely';
import type { Tenant } from '../core/principal.ts';
import { modulesOf } from '../core/resource/modules.ts';
import type { Database } from '../db/open.ts';
import type { SystemTables } from '../db/system-tables.ts';

/** The columns of `tenants` that `toTenant` reads. */
export const tenantColumns = [
  'id',
  'slug',
  'name',
  'time_zone',
  'modules',
  'rate_limit',
  'sandbox',
  'clock_ahead',
] as const;

/** What is read of a tenant for its requests. */
export type TenantRow = Pick<Selectable<SystemTables['tenants']>, (typeof tenantColumns)[number]>;

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
