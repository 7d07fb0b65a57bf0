import type { Logger } from 'pino';
import type { Database } from '../../db/open.ts';
import { followConflicts } from '../../domain/conflicts/follow.ts';
import { listActive } from '../../tenancy/directory.ts';
import { followTenants } from '../../tenancy/followers.ts';

/** Milliseconds after which a tenant has a step without changes: old conflicts are removed. */
const LONGEST_WAIT = 3_600_000;

/**
 * Keeps the conflicts of all active tenants, as soon as their journals have new entries.
 * Processes share the work: a tenant has one step at a time.
 * @returns a function that stops it after the steps in progress
 */
export const startConflicts = (database: Database, log: Logger): (() => Promise<void>) =>
  followTenants(
    database.wakeups,
    {
      tenants: () => listActive(database),
      step: tenant => followConflicts(database.forTenant(tenant)),
      longest: LONGEST_WAIT,
      failure: 'The conflicts of a tenant could not be found.',
    },
    log,
  );
