import { CountedCache } from '../core/tally.ts';

/** Milliseconds for which what a look-up has found is recent: below a second, so that changes take effect within one. */
export const cacheTime = 900;

/** What an earlier look-up has found, however long ago. */
export interface Remembered<V> {
  readonly found: V;
  /** Looks it up; concurrent calls share it. */
  again(): Promise<V | null>;
  /** Makes it recent, as of when it was taken from memory, once it is known that it is still so. */
  renew(): void;
  /** Forgets it, so that the next caller looks it up. */
  forget(): void;
}

/** What has been looked up, or is being. */
interface Entry<V> {
  readonly result: Promise<V | null>;
  /** The result; null also until it is there. */
  found: V | null;
}

/** Look-ups by key, also of what does not exist. What they have found is recent for a moment, and remembered after it. */
export class LookUps<V extends object> {
  readonly #known: CountedCache<string, Entry<V>>;
  /** Milliseconds, from any point in time. */
  readonly now: () => number;

  /**
   * @param name of the cache, in metrics
   * @param clock milliseconds, never 0
   */
  constructor(name: string, clock = () => performance.now()) {
    this.now = clock;
    this.#known = new CountedCache(name, {
      max: 10_000,
      ttl: cacheTime,
      ttlResolution: 0,
      perf: { now: clock },
      noDeleteOnStaleGet: true,
    });
  }

  /**
   * Returns what is recent; or else what is remembered, if `assume` takes it; or else what `read` finds, which concurrent calls share.
   * Failures are not cached.
   */
  find(
    key: string,
    read: () => Promise<V | null>,
    assume: ((last: Remembered<V>) => boolean) | null = null,
  ): Promise<V | null> {
    const recent = this.#known.get(key);
    if (recent) return recent.result;
    const last = assume && this.#remembered(key, read);
    if (last && assume(last)) return Promise.resolve(last.found);
    return this.renew(key, read);
  }

  /** Returns what `read` finds now, though something is recent; it takes the place of that. */
  renew(key: string, read: () => Promise<V | null>): Promise<V | null> {
    const entry: Entry<V> = { result: read(), found: null };
    this.#known.set(key, entry);
    const keep = (found: V | null) => {
      entry.found = found;
    };
    entry.result.then(keep, () => this.#forget(key, entry));
    return entry.result;
  }

  #remembered(key: string, read: () => Promise<V | null>): Remembered<V> | null {
    const entry = this.#known.peek(key, { allowStale: true });
    if (!entry?.found) return null;
    const { found } = entry;
    const start = this.now();
    return {
      found,
      again: () => this.find(key, read),
      renew: () => this.learn(key, found, start),
      forget: () => this.#forget(key, entry),
    };
  }

  #forget(key: string, entry: Entry<V>): void {
    if (this.#known.peek(key, { allowStale: true }) === entry) this.#known.delete(key);
  }

  /** Takes what a statement has found that was begun at `start` (see `now`). What is recent stays: it may be newer. */
  learn(key: string, found: V | null, start: number): void {
    if (!this.#known.has(key)) this.#known.set(key, { result: Promise.resolve(found), found }, { start });
  }
}
