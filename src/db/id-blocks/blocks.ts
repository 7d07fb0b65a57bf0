import { LRUCache } from 'lru-cache';

/** Claims the next `count` ids of a table of a tenant for this process, and gives the first of them. */
export type Claim = (count: number) => Promise<number>;

/** Consecutive ids that this process alone hands out. */
interface Block {
  next: number;
  /** The first id that is not in it. */
  end: number;
  /** How many ids it had when it was claimed. */
  size: number;
  /** Milliseconds, by the clock. */
  claimedAt: number;
  /** The claim under way, which all share who need more than there is. */
  coming: Promise<void> | null;
}

/** Blocks that are used up sooner grow, others shrink. Milliseconds. */
const BUSY = 1000;
const LARGEST = 1000;
/** The least used are forgotten, which leaves gaps. */
const REMEMBERED = 100_000;

/**
 * Ids of records, for each tenant and table from 1, handed out of blocks in memory. A new block is as large as the load asks for: one id
 * at first, so that few are lost at a restart, and up to 1,000. Ids of several processes are unique, but do not tell which was first.
 */
export class IdBlocks {
  readonly #blocks = new LRUCache<string, Block>({ max: REMEMBERED });
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Ids in ascending order; waits only if more have to be claimed. */
  async take(tenantId: number, table: string, count: number, claim: Claim): Promise<readonly number[]> {
    const block = this.#blockOf(`${tenantId}|${table}`);
    const ids: number[] = [];
    for (;;) {
      while (ids.length < count && block.next < block.end) ids.push(block.next++);
      if (ids.length === count) return ids;
      block.coming ??= this.#renew(block, count - ids.length, claim).finally(() => {
        block.coming = null;
      });
      await block.coming;
    }
  }

  /** Leaves out what is left of a block, as if it had never been claimed. */
  forget(tenantId: number, table: string): void {
    this.#blocks.delete(`${tenantId}|${table}`);
  }

  #blockOf(key: string): Block {
    const known = this.#blocks.get(key) ?? { next: 0, end: 0, size: 0, claimedAt: -BUSY, coming: null };
    this.#blocks.set(key, known);
    return known;
  }

  async #renew(block: Block, wanted: number, claim: Claim): Promise<void> {
    const now = this.#clock();
    const size = now - block.claimedAt < BUSY ? Math.min(LARGEST, block.size * 2) : Math.floor(block.size / 2);
    block.size = Math.max(1, size);
    block.claimedAt = now;
    const count = Math.max(block.size, wanted);
    block.next = await claim(count);
    block.end = block.next + count;
  }
}
