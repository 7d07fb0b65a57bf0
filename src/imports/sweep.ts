import { sql } from 'kysely';
import type { TenantDb, Transaction } from '../db/database.ts';
import type { Database } from '../db/open.ts';
import { listTenants } from '../tenancy/directory.ts';
import { enqueueOldest, readOldest } from './state.ts';

/** Results that one transaction deletes at most. */
const chunk = 10_000;
/**
 * Minutes after which an import that makes no progress is assumed to have lost its job.
 * A surplus job is harmless.
 */
const overdue = 10;

/**
 * Deletes finished imports of all tenants that are older than the given number of days.
 * Adds jobs for unfinished ones that have lost theirs, for example while the tenant was inactive.
 * @returns the number of deleted imports
 */
export const sweepImports = async (database: Database, days: number, now = Date.now()): Promise<number> => {
  const before = new Date(now - days * 86_400_000);
  let removed = 0;
  for (const { tenant, active } of await listTenants(database)) {
    const db = database.forTenant(tenant);
    removed += await removeExpired(before, db);
    const oldest = active ? await readOldest(db) : undefined;
    if (oldest && new Date(oldest.updated_at).getTime() < now - overdue * 60_000) await enqueueOldest(db);
  }
  return removed;
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

const readExpired = async (before: Date, { kysely }: Transaction): Promise<number | undefined> => {
  const expired = await kysely
    .selectFrom('imports')
    .select('id')
    .where('created_at', '<', sql<string>`${before.toISOString()}::timestamptz`)
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
