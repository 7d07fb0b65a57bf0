import type { Logger } from 'pino';
import type { TenantFields } from '../attributes/tenant-fields.ts';
import type { Database } from '../db/open.ts';
import { listActive } from '../tenancy/directory.ts';
import { followTenants } from '../tenancy/followers.ts';
import { followJournal } from './follow.ts';

/** Milliseconds. */
const LONGEST_WAIT = 60_000;

/**
 * Follows the journals of all tenants that have automations triggered by changes of records.
 * @returns a function that stops it after the work in progress
 */
export const startFollower = (database: Database, fields: TenantFields, log: Logger): (() => Promise<void>) =>
  followTenants(
    database.wakeups,
    {
      tenants: async () =>
        (await listActive(database, { followed: true })).filter(({ modules }) => modules.has('automations')),
      step: async tenant => {
        const followed = await followJournal(database.forTenant(tenant), fields);
        if (followed.lost)
          log.error({ tenant: tenant.slug }, 'Changes were deleted before automations could be triggered by them.');
        return followed;
      },
      longest: LONGEST_WAIT,
      failure: 'The changes of a tenant could not be followed.',
    },
    log,
  );
