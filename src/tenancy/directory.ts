import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { InputError } from './names.ts';
import { tenantColumns, toTenant } from './tenants.ts';

/** A tenant as listed for administrators. */
export interface TenantEntry {
  readonly tenant: Tenant;
  /** Registered host names, in addition to the one under the base domain. */
  readonly hosts: readonly string[];
  readonly active: boolean;
}

/** All tenants, ordered by slug. */
export const listTenants = (database: Pick<Database, 'system'>): Promise<readonly TenantEntry[]> =>
  readEntries(database, null);

/** The tenant with an id, active or not, as listed; null if there is none. */
export const findTenantEntry = async (database: Pick<Database, 'system'>, id: number): Promise<TenantEntry | null> => {
  const [entry] = await readEntries(database, id);
  return entry ?? null;
};

/** Returns the tenant with the id; null: all tenants. */
const readEntries = async (
  { system }: Pick<Database, 'system'>,
  id: number | null,
): Promise<readonly TenantEntry[]> => {
  const [rows, hosts] = await Promise.all([
    system
      .selectFrom('tenants')
      .select([...tenantColumns, 'active'])
      .$if(id !== null, query => query.where('id', '=', Number(id)))
      .orderBy('slug')
      .execute(),
    system
      .selectFrom('tenant_hosts')
      .select(['tenant_id', 'host'])
      .$if(id !== null, query => query.where('tenant_id', '=', Number(id)))
      .orderBy('host')
      .execute(),
  ]);
  return rows.map(row => ({
    tenant: toTenant(row),
    hosts: hosts.filter(({ tenant_id }) => String(tenant_id) === String(row.id)).map(({ host }) => host),
    active: row.active,
  }));
};

/**
 * The active tenants.
 * @param followed whether only those that have, or have had, automations that changes of records trigger
 */
export const listActive = async (
  { system }: Pick<Database, 'system'>,
  { followed = false }: { readonly followed?: boolean } = {},
): Promise<readonly Tenant[]> => {
  const rows = await system
    .selectFrom('tenants')
    .select(tenantColumns)
    .where('active', '=', true)
    .$if(followed, query => query.where('followed', '=', true))
    .execute();
  return rows.map(toTenant);
};

/** The tenant with a slug, active or not; null if there is none. */
export const findTenantBySlug = async ({ system }: Pick<Database, 'system'>, slug: string): Promise<Tenant | null> => {
  const row = await system.selectFrom('tenants').select(tenantColumns).where('slug', '=', slug).executeTakeFirst();
  return row ? toTenant(row) : null;
};

/** The active tenant with an id; null if there is none. */
export const findTenantById = async ({ system }: Pick<Database, 'system'>, id: number): Promise<Tenant | null> => {
  const row = await system
    .selectFrom('tenants')
    .select(tenantColumns)
    .where('id', '=', id)
    .where('active', '=', true)
    .executeTakeFirst();
  return row ? toTenant(row) : null;
};

/** The tenant with a slug, active or not. @throws InputError if there is none */
export const requireTenant = async (database: Pick<Database, 'system'>, slug: string): Promise<Tenant> => {
  const tenant = await findTenantBySlug(database, slug);
  if (tenant) return tenant;
  throw new InputError(`There is no tenant "${slug}"; "tenant list" shows the existing ones`);
};
