import { LRUCache } from 'lru-cache';

/** Counts of this process since its start, by label. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** Adds to the count of a label; labels come from a fixed set, since each is kept. */
  add(label: string, amount = 1): void {
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + amount);
  }

  /** Returns each label with its count. */
  entries(): Iterable<[label: string, count: number]> {
    return this.#counts.entries();
  }
}

/** What this process has counted, for its metrics. */
export const tallies = {
  /** Entries of the journal, by kind of change. */
  changes: new Tally(),
  /** Attempts to send a webhook, by result: `accepted` or the error code. */
  webhooks: new Tally(),
  /** Seconds that these attempts took, by result. */
  webhookSeconds: new Tally(),
  /** Look-ups in caches that found an entry, by name of the cache. */
  cacheHits: new Tally(),
  /** Look-ups in caches that found none, by name of the cache. */
  cacheMisses: new Tally(),
  /** Bytes removed from caches to make room for others, by name of the cache. */
  cacheEvicted: new Tally(),
} as const;

/** An LRU cache that counts its look-ups under a name. */
export class CountedCache<K extends {}, V extends {}> extends LRUCache<K, V> {
  readonly #name: string;

  constructor(name: string, options: LRUCache.Options<K, V, unknown>) {
    super(options);
    this.#name = name;
  }

  override get(key: K): V | undefined {
    const value = super.get(key);
    (value === undefined ? tallies.cacheMisses : tallies.cacheHits).add(this.#name);
    return value;
  }
}
