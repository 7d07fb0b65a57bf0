import { CountedCache } from '../../core/tally.ts';
import type { FoundCaller } from './look-up.ts';

/** Milliseconds for which a result is recent: below a second, so that changes take effect within one. */
export const cacheTime = 900;

/** An earlier result of a look-up, of any age. */
export interface Remembered {
  readonly found: FoundCaller;
  /** Repeats the look-up; concurrent calls share it. */
  again(): Promise<FoundCaller | null>;
  /** Makes the result as recent as the moment in which it was taken from the cache. */
  renew(): void;
  /** Removes the result, so that the next caller is looked up. */
  forget(): void;
}

/** Milliseconds from any point in time, never 0. */
type LookUpClock = Pick<typeof performance, 'now'>;

interface CachedLookUp {
  readonly result: Promise<FoundCaller | null>;
  /** The result; null also while it is awaited. */
  found: FoundCaller | null;
}

/** Results of look-ups by key, hosts without tenant too: recent for a moment, then remembered. */
export class LookUps {
  readonly #known: CountedCache<string, CachedLookUp>;
  readonly #clock: LookUpClock;

  constructor(clock: LookUpClock = performance) {
    this.#clock = clock;
    this.#known = new CountedCache('callers', {
      max: 10_000,
      ttl: cacheTime,
      ttlResolution: 0,
      perf: clock,
      noDeleteOnStaleGet: true,
    });
  }

  /**
   * Returns a recent result; else a remembered one that `presume` accepts.
   * Else that of `read`, which concurrent calls share. Failures are not cached.
   */
  find(
    key: string,
    read: (last: FoundCaller | null) => Promise<FoundCaller | null>,
    presume: ((last: Remembered) => boolean) | null = null,
  ): Promise<FoundCaller | null> {
    const recent = this.#known.get(key);
    if (recent) return recent.result;
    const entry = this.#known.peek(key, { allowStale: true });
    const last = presume && entry?.found ? this.#remembered(key, entry, entry.found, read) : null;
    if (last && presume?.(last)) return Promise.resolve(last.found);
    return this.renew(key, () => read(entry?.found ?? null));
  }

  /** Returns the result of `read`, which replaces a recent one. */
  renew(key: string, read: () => Promise<FoundCaller | null>): Promise<FoundCaller | null> {
    const entry: CachedLookUp = { result: read(), found: null };
    this.#known.set(key, entry);
    const keep = (found: FoundCaller | null) => {
      entry.found = found;
    };
    entry.result.then(keep, () => this.#forget(key, entry));
    return entry.result;
  }

  #remembered(key: string, entry: CachedLookUp, found: FoundCaller, read: Parameters<LookUps['find']>[1]): Remembered {
    const start = this.#clock.now();
    return {
      found,
      again: () => this.find(key, read),
      // A result that is recent by now stays: it may be newer.
      renew: () => void (this.#known.has(key) || this.#known.set(key, entry, { start })),
      forget: () => this.#forget(key, entry),
    };
  }

  #forget(key: string, entry: CachedLookUp): void {
    if (this.#known.peek(key, { allowStale: true }) === entry) this.#known.delete(key);
  }
}
