import type { RenewalOptions } from '../db/journal/renewal.ts';
import type { Database } from '../db/open.ts';
import { listTenants } from './directory.ts';

/**
 * Renews every tenant's journal; unless it was moved, all cursors of GET /changes expire.
 * Needed when the data have been replaced by those of an earlier time, after which positions that clients have read are given to other
 * changes.
 * @returns the number of tenants
 */
export const renewJournals = async (
  database: Pick<Database, 'system' | 'renewJournal'>,
  options: RenewalOptions = {},
): Promise<number> => {
  const tenants = await listTenants(database);
  for (const { tenant } of tenants) await database.renewJournal(tenant.id, options);
  return tenants.length;
};
