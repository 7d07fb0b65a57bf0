import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { TenantFields } from '../attributes/tenant-fields.ts';
import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { listFollowed } from '../tenancy/directory.ts';
import { followJournal } from './follow.ts';

/** Milliseconds. */
const DIRECTORY_INTERVAL = 1_000;
const AFTER_ERROR = 5_000;
const LONGEST_WAIT = 60_000;
/** Journals that a process reads at once. */
const TURNS = 2;

/**
 * Follows the journals of all tenants that have automations triggered by changes of records.
 * Waits for new entries without a statement of its own for each tenant (see Wakeups).
 * @returns a function that stops it after the work in progress
 */
export const startFollower = (database: Database, fields: TenantFields, log: Logger): (() => Promise<void>) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const take = createTurns(TURNS);
  const loops = new Map<number, Promise<void>>();
  let tenants: ReadonlyMap<number, Tenant> = new Map();

  const follow = async (id: number): Promise<void> => {
    for (;;) {
      const tenant = tenants.get(id);
      if (!tenant || signal.aborted || database.wakeups.stopped) return;
      try {
        const { position, more, lost } = await take(() => followJournal(database.forTenant(tenant), fields));
        if (lost)
          log.error({ tenant: tenant.slug }, 'Changes were deleted before automations could be triggered by them.');
        if (!more) await database.wakeups.wait(id, position, LONGEST_WAIT, signal);
      } catch (error) {
        log.warn({ err: error, tenant: tenant.slug }, 'The changes of a tenant could not be followed.');
        await rest(AFTER_ERROR, signal);
      }
    }
  };

  const refresh = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const followed = (await listFollowed(database)).filter(({ modules }) => modules.has('automations'));
        tenants = new Map(followed.map(tenant => [tenant.id, tenant]));
        for (const id of tenants.keys())
          if (!loops.has(id))
            loops.set(
              id,
              follow(id).finally(() => loops.delete(id)),
            );
      } catch (error) {
        log.warn({ err: error }, 'The tenants whose changes are followed could not be read.');
      }
      await rest(DIRECTORY_INTERVAL, signal);
    }
  };

  const refreshing = refresh();
  return async () => {
    stopping.abort();
    await refreshing;
    await Promise.all(loops.values());
  };
};

/** Resolves after the time, or when the signal is aborted. */
const rest = (ms: number, signal: AbortSignal): Promise<void> => pause(ms, undefined, { signal }).catch(() => {});

/** Returns a function that runs work, in the order of its calls, when fewer than `count` others run. */
const createTurns = (count: number) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running === count) await new Promise<void>(resolve => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};
