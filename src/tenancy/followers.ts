import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Tenant } from '../core/principal.ts';
import type { Wakeups } from '../db/journal/wakeups.ts';

/** Milliseconds. */
const DIRECTORY_INTERVAL = 1_000;
const BUSY_INTERVAL = 500;
const AFTER_ERROR = 5_000;
/** Journals that a process reads at once. */
const TURNS = 2;

/** How far some work is in the journal of a tenant. */
interface FollowedStep {
  /** The last position that it has read. */
  readonly position: number;
  /** Whether there is more to do at once. */
  readonly more: boolean;
}

/** Work that follows the journals of tenants. */
interface JournalWork {
  /** Lists the tenants that it is done for. */
  readonly tenants: () => Promise<readonly Tenant[]>;
  /** Takes it a step further, for one tenant. Null: somebody else does. */
  readonly step: (tenant: Tenant) => Promise<FollowedStep | null>;
  /** Milliseconds after which a tenant has a step without a new entry. */
  readonly longest: number;
  /** What is logged when a step fails. */
  readonly failure: string;
}

/** A tenant whose journal is followed. */
interface FollowedTenant {
  readonly tenant: Tenant;
  /** Aborted when the tenant is another than it was: it has a step then, too. */
  readonly waiting: AbortController;
}

/**
 * Does work for all tenants whose journals have new entries.
 * One statement a second lists the tenants, another one finds the new entries of all of them (see Wakeups). Tenants take turns, of one
 * step each: one that has much to do holds up no other.
 * @returns a function that stops it after the steps in progress
 */
export const followTenants = (
  wakeups: Pick<Wakeups, 'follow' | 'stopped'>,
  { tenants, step, longest, failure }: JournalWork,
  log: Logger,
): (() => Promise<void>) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const take = createTurns(TURNS);
  const loops = new Map<number, Promise<void>>();
  let known: ReadonlyMap<number, FollowedTenant> = new Map();

  const follow = async (id: number): Promise<void> => {
    for (;;) {
      const followed = known.get(id);
      if (!followed || signal.aborted || wakeups.stopped) return;
      const { tenant, waiting } = followed;
      try {
        const taken = await take(() => step(tenant));
        if (!taken) await rest(BUSY_INTERVAL, signal);
        else if (!taken.more) await wakeups.follow(id, taken.position, longest, waiting.signal);
      } catch (error) {
        log.warn({ err: error, tenant: tenant.slug }, failure);
        await rest(AFTER_ERROR, signal);
      }
    }
  };

  const wake = (gone: Iterable<FollowedTenant>): void => {
    for (const { waiting } of gone) waiting.abort();
  };

  const refresh = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const before = known;
        known = new Map((await tenants()).map(tenant => [tenant.id, followedOf(tenant, before.get(tenant.id))]));
        wake([...before.values()].filter(followed => known.get(followed.tenant.id) !== followed));
        for (const id of known.keys())
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
    wake(known.values());
    await Promise.all(loops.values());
  };
};

const followedOf = (tenant: Tenant, before: FollowedTenant | undefined): FollowedTenant =>
  before && isDeepStrictEqual(before.tenant, tenant) ? before : { tenant, waiting: new AbortController() };

/** Resolves after the time, or when the signal is aborted. */
const rest = (ms: number, signal: AbortSignal): Promise<void> => pause(ms, undefined, { signal }).catch(() => {});

/**
 * Returns a function that runs work, in the order of its calls, when fewer than `count` others run.
 * Apart from the turns of connections, which this work waits for meanwhile: a simulation gives these out one at a time.
 */
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
