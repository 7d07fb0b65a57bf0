import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { listTenants, type TenantEntry } from './directory.ts';

/** What work for all tenants reports to, and asks. */
export interface Run {
  /** Reports what has failed: for a tenant or, without one, as a whole. */
  failed(error: unknown, tenant?: Tenant): void;
  /** Whether it goes on; asked before each part. */
  goesOn(): boolean;
}

/** A run that ends with the first failure, and is never stopped. */
export const strictly: Run = {
  failed: error => {
    throw error;
  },
  goesOn: () => true,
};

/**
 * Does work for each tenant, active or not.
 * Its failure for one is reported, and keeps it from no other.
 */
export const forEachTenant = async (
  database: Pick<Database, 'system'>,
  work: (entry: TenantEntry) => Promise<void>,
  { failed, goesOn }: Run,
): Promise<void> => {
  for (const entry of await listTenants(database)) {
    if (!goesOn()) return;
    await work(entry).catch(error => failed(error, entry.tenant));
  }
};
