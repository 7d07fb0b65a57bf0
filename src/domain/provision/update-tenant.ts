import { sql } from 'kysely';
import type { Tenant } from '../../core/principal.ts';
import type { Module } from '../../core/resource/modules.ts';
import type { Database } from '../../db/open.ts';
import type { OwnerTransaction } from '../../db/owner.ts';
import { InputError } from '../../tenancy/names.ts';
import { markingOf, passOver, passOverDue } from '../occurrences/pass-over.ts';
import { addFirstRule, addHosts } from './provision.ts';

/** Changes of a tenant; what is undefined stays as it is. */
export interface TenantChanges {
  readonly name?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly modules?: readonly Module[] | undefined;
  /** Null: the limit of the server's configuration. */
  readonly rateLimit?: number | null | undefined;
  /** Whether requests are served. */
  readonly active?: boolean | undefined;
  readonly addHosts?: readonly string[];
  readonly removeHosts?: readonly string[];
}

/** Reads what the tenant is before a change, locked until the transaction ends. */
const readLocked = ({ id }: Tenant, { system }: Pick<OwnerTransaction, 'system'>) =>
  system.selectFrom('tenants').select(['active', 'modules']).where('id', '=', id).forUpdate().executeTakeFirstOrThrow();

/**
 * Changes a tenant in one transaction; every instance serves it accordingly within a second.
 * What would have triggered its automations while it was disabled, or lacked their module, is passed over. The imports of one that is
 * enabled go on.
 * @throws InputError if a new host is not available, or one to be removed is not the tenant's
 */
export const updateTenant = async (
  database: Database,
  tenant: Tenant,
  changes: TenantChanges,
  baseDomain: string,
): Promise<void> => {
  const { name, timeZone, modules, rateLimit, active, addHosts: newHosts = [], removeHosts = [] } = changes;
  const values = {
    ...(name !== undefined && { name }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(modules !== undefined && { modules: JSON.stringify(modules) }),
    ...(rateLimit !== undefined && { rate_limit: rateLimit }),
    ...(active !== undefined && { active }),
  };
  await database.asOwner(tenant.id, async transaction => {
    const { system } = transaction;
    const before = await readLocked(tenant, transaction);
    if (Object.keys(values).length > 0)
      await system.updateTable('tenants').set(values).where('id', '=', tenant.id).execute();
    if (modules?.includes('rules') && !before.modules.includes('rules')) await addFirstRule(transaction);
    if (modules?.includes('automations') && !before.modules.includes('automations'))
      await passOver({}, tenant, markingOf(transaction));
    else if (active && !before.active) await passOverDue({}, tenant, markingOf(transaction));
    if (active) await system.selectNoFrom(sql`enqueue_oldest_import()`.as('enqueued')).execute();
    for (const host of removeHosts) {
      const removed = await system
        .deleteFrom('tenant_hosts')
        .where('host', '=', host)
        .where('tenant_id', '=', tenant.id)
        .returning('host')
        .execute();
      if (removed.length === 0) throw new InputError(`${host} is not a host name of the tenant "${tenant.slug}"`);
    }
    await addHosts(transaction, newHosts, baseDomain);
  });
};
