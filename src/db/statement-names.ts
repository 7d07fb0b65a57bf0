import { LRUCache } from 'lru-cache';

/** The names of the statements that one connection's server has planned: the least used are given up when there are too many. */
export class StatementNames {
  readonly #names: LRUCache<string, true>;

  /** @param forget called with a name before the statement that takes its place is sent. */
  constructor(max: number, forget: (name: string) => void) {
    this.#names = new LRUCache({ max, dispose: (_, name, reason) => reason === 'evict' && forget(name) });
  }

  use(name: string): void {
    if (!this.#names.get(name)) this.#names.set(name, true);
  }
}
