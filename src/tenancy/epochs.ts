import type { Database } from '../db/open.ts';
import { listTenants } from './directory.ts';

/**
 * Starts a new epoch of every tenant's journal: all cursors of GET /changes expire.
 * Needed when the data have been replaced by those of an earlier time, after which positions that clients have read are given to other
 * changes.
 * @returns the number of tenants
 */
export const renewEpochs = async (database: Pick<Database, 'system' | 'asOwner'>): Promise<number> => {
  const tenants = await listTenants(database);
  for (const { tenant } of tenants) {
    await database.asOwner(tenant.id, transaction =>
      transaction.send({
        name: null,
        text: 'update journal_heads set epoch = gen_random_uuid() where tenant_id = $1',
        values: [String(tenant.id)],
      }),
    );
  }
  return tenants.length;
};
