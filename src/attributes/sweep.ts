import type { Database } from '../db/open.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { forEachTenant, type Run, strictly } from '../tenancy/each-tenant.ts';
import {
  deletedStatement,
  emptiedStatement,
  emptyStatement,
  holdStatement,
  type Registered,
  registeredOf,
} from './register.ts';

/** Maximum number of records that one transaction changes. */
const batch = 5000;

/**
 * Removes the values of deleted fields from all records, so that their slots can be reused.
 * Several instances may run it concurrently.
 * @returns the number of values removed
 */
export const sweepFields = async (database: Database, run: Run = strictly): Promise<number> => {
  let removed = 0;
  const all = async ({ tenant: { id } }: TenantEntry) => {
    for (const field of await deletedFields(database, id)) removed += await empty(database, id, field);
  };
  await forEachTenant(database, all, run);
  return removed;
};

const deletedFields = async (database: Database, tenantId: number): Promise<readonly Registered[]> =>
  database.asOwner(tenantId, async ({ send }) => registeredOf((await send(deletedStatement(tenantId)))[0]));

const empty = async (database: Database, tenantId: number, field: Registered): Promise<number> => {
  let removed = 0;
  for (let affected = batch; affected === batch; removed += affected) {
    affected = await database.asOwner(tenantId, async ({ send }) => {
      const [, remaining] = await send(holdStatement(tenantId), deletedStatement(tenantId));
      if (!registeredOf(remaining).some(({ id }) => id === field.id)) return 0;
      const [result] = await send(emptyStatement(field, tenantId, batch));
      const { affected = 0 } = result ?? {};
      if (affected === 0) await send(emptiedStatement(tenantId, String(field.id)));
      return affected;
    });
  }
  return removed;
};
