import { sql } from 'kysely';
import type { Logger } from 'pino';
import { presentTimeOf } from '../core/time.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { oneOf } from '../db/ids.ts';
import type { Database } from '../db/open.ts';
import { enqueue } from '../domain/occurrences/enqueue.ts';
import { followChanges } from '../domain/occurrences/record-changed.ts';
import { triggerDue } from '../domain/occurrences/time-based.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { forEachTenant, type Run } from '../tenancy/each-tenant.ts';
import { PENDING } from './pending.ts';

/**
 * Triggers the time-based automations of all tenants. Several instances may scan at once: each subject
 * triggers an automation only once.
 * @returns the number of added deliveries
 */
export const scan = async (database: Database, now: Date, log: Logger): Promise<number> => {
  let added = 0;
  const scanActive = async ({ tenant, active }: TenantEntry) => {
    if (active && tenant.modules.has('automations')) added += await scanTenant(database.forTenant(tenant), now);
  };
  const failed: Run['failed'] = (error, tenant) =>
    log.warn({ err: error, tenant: tenant?.slug }, 'The time-based automations of a tenant could not be triggered.');
  await forEachTenant(database, scanActive, { failed, goesOn: () => true });
  return added;
};

/** Does the same as `scan` for one tenant. @param now the real time */
export const scanTenant = (db: TenantDb, now: Date): Promise<number> =>
  db.transaction(async transaction => {
    const present = presentTimeOf(transaction.tenant, now);
    await requeueOverdue(present, transaction);
    await refollow(transaction);
    return triggerDue(present, transaction);
  });

/**
 * Minutes after which a due delivery without a job has lost it: no process is about to enqueue it.
 * A surplus job is harmless: it finds the delivery done.
 */
const overdue = 2;

/**
 * Overdue deliveries that one scan looks at.
 * It triggers automations in the same transaction, whose time is limited.
 */
const lookedAt = 10_000;

/**
 * Adds new jobs for the overdue deliveries that have none, among those that are due first.
 * Their process has ended between the commit and the enqueuing, or their jobs without an attempt, for example while the tenant was
 * inactive.
 */
const requeueOverdue = async (now: Date, transaction: Transaction): Promise<void> => {
  const time = sql<string>`date_trunc('second', ${now.toISOString()}::timestamptz)`;
  const { kysely } = transaction;
  const found = await kysely
    .selectFrom('automation_deliveries')
    .select('id')
    .where('next_attempt_at', '<', sql<string>`${time} - ${overdue} * interval '1 minute'`)
    .where('status', '=', PENDING)
    .where(({ eb, or, not, exists, selectFrom }) =>
      // One that waits for the first attempt of another is enqueued after that. As alternatives, each is looked for by the index of lanes:
      // joined, all of a tenant could be compared with all others.
      or([
        eb('automation_deliveries.lane', 'is', null),
        eb('automation_deliveries.attempt', '>', 0),
        not(
          exists(
            selectFrom('automation_deliveries as earlier')
              .select('earlier.id')
              .whereRef('earlier.automation_id', '=', 'automation_deliveries.automation_id')
              .whereRef('earlier.lane', '=', 'automation_deliveries.lane')
              .whereRef('earlier.position', '<', 'automation_deliveries.position')
              .where('earlier.attempt', '=', 0)
              .where('earlier.status', '=', PENDING),
          ),
        ),
      ]),
    )
    .orderBy('next_attempt_at')
    .limit(lookedAt)
    .execute();
  if (found.length === 0) return;
  const lost = await withoutJobs(found, transaction);
  if (lost.length === 0) return;
  const requeued = await kysely
    .updateTable('automation_deliveries')
    .set({ next_attempt_at: time })
    .where('id', '=', oneOf(lost))
    .where('status', '=', PENDING)
    .returning(['id', 'next_attempt_at'])
    .execute();
  enqueue(requeued, transaction);
};

/** Has the journal followed if an automation wants that: a process may have ended before it was. */
const refollow = async (transaction: Transaction): Promise<void> => {
  const found = await transaction.kysely
    .selectFrom('automations')
    .select('id')
    .where('trigger_type', '=', 'record.changed')
    .limit(1)
    .execute();
  if (found.length > 0) followChanges(transaction);
};

/** Returns the ids of deliveries that no job is waiting, or at work, for. */
const withoutJobs = async (deliveries: readonly { readonly id: number }[], transaction: Transaction) => {
  const [result] = await transaction.send({
    name: null,
    text: 'select deliveries_without_job($1::bigint[])',
    values: [`{${deliveries.map(({ id }) => id)}}`],
  });
  return (result?.rows ?? []).map(([id]) => Number(id));
};
