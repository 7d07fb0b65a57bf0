import { LRUCache } from 'lru-cache';

/** Claims the next `count` ids of a tenant's table for this process and returns the first. */
export type Claim = (count: number) => Promise<number>;

/** Consecutive ids reserved for this process. */
interface Block {
  next: number;
  /** The first id after the block. */
  end: number;
  /** Number of ids claimed. */
  size: number;
  /** Clock time in milliseconds. */
  claimedAt: number;
  /** The claim in progress, shared by all callers that wait for ids. */
  claim: Promise<void> | null;
}

/** Milliseconds: a block used up earlier is followed by a larger one, otherwise by a smaller one. */
const BUSY = 1000;
const LARGEST = 1000;
/** Maximum number of blocks in memory; the least recently used are dropped, which leaves gaps. */
const REMEMBERED = 100_000;

/**
 * Allocates record ids from blocks in memory, starting from 1 for each tenant and table.
 * The size of a block follows the load, from one id (so that a restart loses few) to 1,000. Ids are unique across processes, but their
 * order is not the order of creation.
 */
export class IdBlocks {
  readonly #blocks = new LRUCache<string, Block>({ max: REMEMBERED });
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Returns `count` ids in ascending order; waits only if more must be claimed. */
  async take(tenantId: number, table: string, count: number, claim: Claim): Promise<readonly number[]> {
    const block = this.#blockOf(`${tenantId}|${table}`);
    const ids: number[] = [];
    for (;;) {
      while (ids.length < count && block.next < block.end) ids.push(block.next++);
      if (ids.length === count) return ids;
      block.claim ??= this.#renew(block, count - ids.length, claim).finally(() => {
        block.claim = null;
      });
      await block.claim;
    }
  }

  /** Drops the block of a tenant's table, whose claim was rolled back. */
  forget(tenantId: number, table: string): void {
    this.#blocks.delete(`${tenantId}|${table}`);
  }

  #blockOf(key: string): Block {
    const known = this.#blocks.get(key) ?? { next: 0, end: 0, size: 0, claimedAt: -BUSY, claim: null };
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
