import { sql } from 'kysely';
import type { TenantDb, Transaction } from '../db/database.ts';
import type { Database } from '../db/open.ts';
import { JOBS } from '../db/queue.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { forEachTenant, type Run } from '../tenancy/each-tenant.ts';
import { enqueueOldest, importQueue, readOldest } from './state.ts';

/** Results that one transaction deletes at most. */
const chunk = 10_000;

/**
 * Deletes the imports of all tenants that have ended before, with their results.
 * @returns the number of imports
 */
export const sweepImports = async (before: Date, database: Database, run: Run): Promise<number> => {
  let removed = 0;
  const all = async ({ tenant }: TenantEntry) => {
    removed += await removeExpired(before, database.forTenant(tenant));
  };
  await forEachTenant(database, all, run);
  return removed;
};

/**
 * Adds a job for the oldest unfinished import of each active tenant that has none.
 * Its process has ended between the commit and the adding, or its job while the tenant was inactive. A surplus job is harmless.
 */
export const enqueueLost = (database: Database, run: Run): Promise<void> =>
  forEachTenant(
    database,
    async ({ tenant, active }) => {
      const db = database.forTenant(tenant);
      if (active && (await readOldest(db)) && !(await hasJob(tenant.id, database))) await enqueueOldest(db);
    },
    run,
  );

/** Whether a job of a tenant's imports is waiting or at work. */
const hasJob = async (tenantId: number, { queue }: Database): Promise<boolean> => {
  const text = `select from ${JOBS}.job where name = $1 and state < 'completed' and data ->> 'tenant_id' = $2 limit 1`;
  const { rows } = await queue.executeSql(text, [importQueue, String(tenantId)]);
  return rows.length > 0;
};

const removeExpired = async (before: Date, db: TenantDb): Promise<number> => {
  let removed = 0;
  for (;;) {
    const id = await db.snapshot(transaction => readExpired(before, transaction));
    if (id === undefined) return removed;
    while ((await db.transaction(transaction => removeResults(id, transaction))) === chunk);
    await db.transaction(({ kysely }) => kysely.deleteFrom('imports').where('id', '=', id).execute());
    removed += 1;
  }
};

/** Found by the index of their creation: an import is changed last when it ends. */
const readExpired = async (before: Date, { kysely }: Transaction): Promise<number | undefined> => {
  const time = sql<string>`${before.toISOString()}::timestamptz`;
  const expired = await kysely
    .selectFrom('imports')
    .select('id')
    .where('created_at', '<', time)
    .where('updated_at', '<', time)
    .where('status', 'in', ['done', 'failed'])
    .limit(1)
    .executeTakeFirst();
  return expired?.id;
};

const removeResults = async (id: number, { kysely }: Transaction): Promise<number> => {
  const { numDeletedRows } = await kysely
    .deleteFrom('import_results')
    .where('import_id', '=', id)
    .where('line', 'in', results =>
      results.selectFrom('import_results').select('line').where('import_id', '=', id).limit(chunk),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
};
