import { sql } from 'kysely';
import type { Tenant } from '../../core/principal.ts';
import { forgetEntries } from '../../db/journal/forget.ts';
import { numberEntries } from '../../db/journal/number.ts';
import type { Database } from '../../db/open.ts';
import { sweepImports } from '../../imports/sweep.ts';
import type { TenantEntry } from '../../tenancy/directory.ts';
import { forEachTenant, type Run, strictly } from '../../tenancy/each-tenant.ts';

/** Something that is kept for a time only. */
export interface RetentionRule {
  /** Its name, as in the table of docs/operations.md. */
  readonly what: string;
  /** For how long, in days. */
  readonly days: number;
  /** Removes what is older from all tenants, active or not; returns the number of rows. */
  readonly remove: (before: Date, database: Database, run: Run) => Promise<number>;
}

/** Rows that one transaction removes at most. */
const BATCH = 10_000;
const day = 86_400_000;

/** Returns what is kept for a time only. @param changes days for entries of the journal */
export const keptFor = (changes: number): readonly RetentionRule[] => [
  { what: 'Changes (`GET /changes`)', days: changes, remove: removeChanges },
  {
    what: 'Deliveries that have ended',
    days: 30,
    // Found by the index of their creation, and counted from their end, which may be much later: that of a tenant disabled meanwhile.
    remove: rowsOf(
      'automation_deliveries',
      'created_at',
      'status <> 1 and coalesce(attempted_at, created_at) < $2::timestamptz',
    ),
  },
  {
    what: 'Marks of occurrences that have triggered automations',
    days: 7,
    remove: rowsOf('automation_occurrences', 'start'),
  },
  { what: 'Webhooks in the inbox of a sandbox', days: 30, remove: rowsOf('sandbox_inbox', 'stored_at') },
  { what: 'Imports that have ended, with their results', days: 30, remove: sweepImports },
  { what: 'Responses to an `Idempotency-Key`', days: 1, remove: rowsOf('idempotency_keys', 'created_at') },
  { what: 'Rejected requests', days: 7, remove: rowsOf('refused_requests', 'at') },
  { what: 'Requests of API users (`GET /me/requests`)', days: 7, remove: rowsOf('own_requests', 'at') },
  { what: 'Usage of API users', days: 400, remove: rowsOf('api_user_usage', 'day') },
  { what: 'Tokens, after they have expired', days: 30, remove: rowsOf('tokens', 'expires_at') },
  { what: 'Webhook secrets, after they have expired', days: 30, remove: rowsOf('webhook_secrets', 'expires_at') },
  {
    what: 'Administration tokens, after they have expired',
    days: 30,
    remove: ownRowsOf('administration_tokens', 'expires_at'),
  },
  { what: 'The administration log', days: 400, remove: ownRowsOf('administration_log', 'at') },
];

/**
 * Removes what has been kept long enough.
 * What fails by one rule, or for one tenant, keeps nothing else from being removed.
 * @param runOf the run of the rule with this name
 * @returns the numbers of removed rows, without zeros
 */
export const removeOld = async (
  kept: readonly RetentionRule[],
  database: Database,
  now = Date.now(),
  runOf: (what: string) => Run = () => strictly,
): Promise<Readonly<Record<string, number>>> => {
  const removed: Record<string, number> = {};
  for (const { what, days, remove } of kept) {
    const run = runOf(what);
    if (!run.goesOn()) break;
    const rows = await remove(new Date(now - days * day), database, run).catch(error => {
      run.failed(error);
      return 0;
    });
    if (rows > 0) removed[what] = rows;
  }
  return removed;
};

/** Returns what removes rows of tenants, in batches. */
function rowsOf(table: string, column: string, condition = 'true'): RetentionRule['remove'] {
  const old = `tenant_id = $1 and ${column} < $2::timestamptz and ${condition}`;
  const text = `delete from ${table} where tenant_id = $1 and ctid = any(array(
    select ctid from ${table} where ${old} limit ${BATCH}))`;
  return (before, database, run) =>
    inBatches(database, run, ({ id }) =>
      database.asOwner(id, async ({ send }) => {
        const [result] = await send({ name: null, text, values: [String(id), before.toISOString()] });
        return result?.affected ?? 0;
      }),
    );
}

/** Returns what removes rows of the service itself. */
function ownRowsOf(
  table: 'administration_log' | 'administration_tokens',
  column: 'at' | 'expires_at',
): RetentionRule['remove'] {
  return async (before, { system }) => {
    const old = sql<boolean>`${sql.id(column)} < ${before.toISOString()}::timestamptz`;
    const { numDeletedRows } = await system.deleteFrom(table).where(old).executeTakeFirst();
    return Number(numDeletedRows);
  };
}

/** Removes old entries of the journals; those without a position get one first. */
function removeChanges(before: Date, database: Database, run: Run): Promise<number> {
  return inBatches(database, run, async tenant => {
    await numberEntries(database.forTenant(tenant));
    return database.asOwner(tenant.id, transaction => forgetEntries({ before, limit: BATCH }, transaction));
  });
}

/** Removes rows of each tenant until a batch is not full. */
const inBatches = async (
  database: Database,
  run: Run,
  remove: (tenant: Tenant) => Promise<number>,
): Promise<number> => {
  let removed = 0;
  const all = async ({ tenant }: TenantEntry) => {
    for (let rows = BATCH; rows === BATCH && run.goesOn(); removed += rows) rows = await remove(tenant);
  };
  await forEachTenant(database, all, run);
  return removed;
};
