import { sql } from 'kysely';
import type { Logger } from 'pino';
import { presentTimeOf } from '../core/time.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import type { Database } from '../db/open.ts';
import { enqueue } from '../domain/occurrences/enqueue.ts';
import { triggerDue } from '../domain/occurrences/time-based.ts';
import { listTenants } from '../tenancy/directory.ts';

/**
 * Triggers the time-based automations of all tenants. Several instances may scan at once: each subject
 * triggers an automation only once.
 * @returns the number of added deliveries
 */
export const scan = async (database: Database, now: Date, log: Logger): Promise<number> => {
  let added = 0;
  for (const { tenant, active } of await listTenants(database)) {
    if (!active || !tenant.modules.has('automations')) continue;
    try {
      added += await scanTenant(database.forTenant(tenant), now);
    } catch (error) {
      log.warn({ err: error, tenant: tenant.slug }, 'The time-based automations of a tenant could not be triggered.');
    }
  }
  return added;
};

/** Does the same as `scan` for one tenant. @param now the real time */
export const scanTenant = (db: TenantDb, now: Date): Promise<number> =>
  db.transaction(async transaction => {
    const present = presentTimeOf(transaction.tenant, now);
    await requeueOverdue(present, transaction);
    return triggerDue(present, transaction);
  });

/**
 * Hours after which a due delivery is assumed to have lost its job.
 * A surplus job is harmless: it finds the delivery done.
 */
const overdue = 6;

/**
 * Adds new jobs for overdue deliveries whose jobs ended without an attempt.
 * This happens, for example, while the tenant is inactive.
 */
const requeueOverdue = async (now: Date, transaction: Transaction): Promise<void> => {
  const time = sql<string>`date_trunc('second', ${now.toISOString()}::timestamptz)`;
  const rows = await transaction.kysely
    .updateTable('automation_deliveries')
    .set({ next_attempt_at: time })
    .where('next_attempt_at', '<', sql<string>`${time} - ${overdue} * interval '1 hour'`)
    .where('status', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      // One that waits for the first attempt of another is enqueued after that.
      not(
        exists(
          selectFrom('automation_deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.automation_id', '=', 'automation_deliveries.automation_id')
            .whereRef('earlier.lane', '=', 'automation_deliveries.lane')
            .whereRef('earlier.position', '<', 'automation_deliveries.position')
            .where('automation_deliveries.attempt', '=', 0)
            .where('earlier.attempt', '=', 0)
            .where('earlier.status', '=', 1),
        ),
      ),
    )
    .returning(['id', 'next_attempt_at'])
    .execute();
  await enqueue(rows, transaction);
};
