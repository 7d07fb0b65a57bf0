import { LRUCache } from 'lru-cache';

/** The named statements of one connection; beyond the maximum, the least recently used is dropped. */
export class StatementNames {
  readonly #names: LRUCache<string, true>;

  /** @param forget called with the dropped name before the statement that replaces it is sent. */
  constructor(max: number, forget: (name: string) => void) {
    this.#names = new LRUCache({ max, dispose: (_, name, reason) => reason === 'evict' && forget(name) });
  }

  /** Whether the connection has prepared a statement of that name. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Records that a statement is about to be sent. */
  use(name: string): void {
    if (!this.#names.get(name)) this.#names.set(name, true);
  }
}
