import type { TenantQuery } from '../db/database.ts';

/**
 * Asks for the modules of the transaction's tenant; null: it is disabled (active-modules.sql).
 * A statement of its own, since tenants are on the coordinator of a cluster, and a statement over a tenant's tables runs on a worker.
 */
export const activeModules: TenantQuery<{ readonly modules: readonly string[] | null }> = {
  for: () => ({ name: 'active_modules', text: 'select active_modules() as modules', values: [] }),
};
