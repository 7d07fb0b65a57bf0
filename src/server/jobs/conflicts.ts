import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Tenant } from '../../core/principal.ts';
import type { JournalProgress } from '../../db/journal/wakeups.ts';
import type { Database } from '../../db/open.ts';
import { followConflicts } from '../../domain/conflicts/follow.ts';
import { listTenants } from '../../tenancy/directory.ts';

/** Milliseconds between two looks at the journals. */
const INTERVAL = 500;
/** Milliseconds after which a tenant has a step without changes: old conflicts are removed. */
const LONGEST = 3_600_000;
/** Milliseconds after a failure. */
const AFTER_ERROR = 5_000;
/** Tenants that a process works for at once. */
const TURNS = 2;

/** What a process knows of the conflicts of a tenant. */
interface KnownProgress {
  /** The position that they had after the last step. */
  readonly position: number;
  /** What the tenant was then: with other modules or another time zone, conflicts are others. */
  readonly tenant: string;
  /** When the next step is due without changes, in milliseconds. */
  readonly due: number;
}

/**
 * Keeps the conflicts of all active tenants, as soon as their journals have new entries.
 * One statement an interval asks for all of them. Processes share the work: a tenant has one step at a time.
 * @returns a function that stops it after the steps in progress
 */
export const startConflicts = (database: Database, log: Logger, interval = INTERVAL): (() => Promise<void>) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const known = new Map<number, KnownProgress>();

  /** Takes the steps of a tenant until there is nothing more to do. */
  const follow = async (tenant: Tenant): Promise<void> => {
    const now = performance.now();
    try {
      for (let more = true; more && !signal.aborted; ) {
        const step = await followConflicts(database.forTenant(tenant));
        // Somebody else takes them.
        if (!step) return;
        more = step.more;
        known.set(tenant.id, { position: step.position, tenant: nameOf(tenant), due: now + LONGEST });
      }
    } catch (error) {
      const position = Number.MAX_SAFE_INTEGER;
      known.set(tenant.id, { position, tenant: nameOf(tenant), due: now + AFTER_ERROR });
      log.warn({ err: error, tenant: tenant.slug }, 'The conflicts of a tenant could not be found.');
    }
  };

  const run = async (): Promise<void> => {
    const tenants = (await listTenants(database)).filter(({ active }) => active).map(({ tenant }) => tenant);
    const progress = await database.wakeups.progressOf(tenants.map(({ id }) => id));
    const heads = new Map(progress.map(head => [head.tenant, head]));
    const waiting = tenants.filter(tenant => isDue(known.get(tenant.id), tenant, heads.get(tenant.id))).values();
    const turns = Array.from({ length: TURNS }, async () => {
      for (const tenant of waiting) if (!signal.aborted) await follow(tenant);
    });
    await Promise.all(turns);
  };

  const running = (async () => {
    while (!signal.aborted) {
      await run().catch(error => log.warn({ err: error }, 'The tenants whose conflicts are found could not be read.'));
      await pause(interval, undefined, { signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
};

const isDue = (known: KnownProgress | undefined, tenant: Tenant, head: JournalProgress | undefined): boolean =>
  known === undefined ||
  known.tenant !== nameOf(tenant) ||
  known.due < performance.now() ||
  ((head?.more ?? false) && known.position < Number.MAX_SAFE_INTEGER) ||
  (head?.head ?? 0) > known.position;

const nameOf = ({ modules, timeZone }: Tenant): string => `${[...modules]} ${timeZone}`;
