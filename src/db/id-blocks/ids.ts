import type { Pool, RawResult, RawStatement } from '../connection.ts';
import { COMMIT, plain, setTenant, TENANT_ROLE, WRITE } from '../enter.ts';
import { withConnection } from '../transaction.ts';
import type { Trips } from '../trips.ts';
import { IdBlocks } from './blocks.ts';

/** A transaction that takes ids. */
export interface Taker {
  readonly tenantId: number;
  readonly trips: Trips;
  /** Whether it runs in the tenants' role. */
  readonly asTenant: boolean;
}

/** The source of ids for new records. */
export interface Ids {
  /** Returns ids of a table for a tenant's transaction, in ascending order. */
  take(taker: Taker, table: string, count: number): Promise<readonly number[]>;
  /** Closes the connection on which ids are claimed. */
  end(): Promise<void>;
}

/**
 * Returns the source of ids for a Postgres server.
 * Blocks are claimed on a separate connection in separate transactions, so that transactions that take ids neither block each
 * other nor wait for each other's connections.
 * @param deadline milliseconds
 */
export const serverIds = (pool: Pool, deadline: number): Ids => {
  const blocks = new IdBlocks();
  const claims = new IdClaims(pool, deadline);
  return {
    take: ({ tenantId }, table, count) =>
      blocks.take(tenantId, table, count, count => claims.claim({ tenantId, table, count })),
    end: () => pool.end(),
  };
};

/**
 * Returns the source of ids for the embedded database, which has one connection.
 * Blocks are claimed in the transaction that takes ids, and dropped if any of it is rolled back.
 */
export const embeddedIds = (): Ids => {
  const blocks = new IdBlocks();
  return {
    take: ({ tenantId, trips, asTenant }, table, count) =>
      blocks.take(tenantId, table, count, async count => {
        trips.onRollback(() => blocks.forget(tenantId, table));
        const claim = claimStatement({ tenantId, table, count });
        // The tenants' role has no rights on the table id_blocks.
        const statements = asTenant ? [leaveRole, claim, takeRole] : [claim];
        const results = await trips.send(statements);
        return firstOf(results[asTenant ? 1 : 0], count);
      }),
    end: async () => {},
  };
};

const leaveRole = plain('set local role none');
const takeRole = plain(`set local role ${TENANT_ROLE}`);

interface Demand {
  readonly tenantId: number;
  readonly table: string;
  readonly count: number;
}

interface Waiting extends Demand {
  readonly resolve: (first: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Claims ids in batches: requests that arrive during a claim share the next transaction. */
class IdClaims {
  readonly #pool: Pool;
  readonly #deadline: number;
  #waiting: Waiting[] = [];
  #running = false;

  constructor(pool: Pool, deadline: number) {
    this.#pool = pool;
    this.#deadline = deadline;
  }

  claim(demand: Demand): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...demand, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      // Every process locks in the same order, which prevents deadlocks.
      const batch = this.#waiting
        .splice(0, BATCH)
        .sort((a, b) => a.tenantId - b.tenantId || (a.table < b.table ? -1 : 1));
      try {
        const firsts = await this.#send(batch);
        for (const [index, { resolve }] of batch.entries()) resolve(firsts[index] as number);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = false;
  }

  #send(batch: readonly Demand[]): Promise<readonly number[]> {
    const statements = batch.flatMap(demand => [setTenant(demand.tenantId), claimStatement(demand)]);
    return withConnection(this.#pool, null, undefined, async connection => {
      const results = await connection.send([WRITE, ...opening(this.#deadline), ...statements, COMMIT], this.#deadline);
      const claimed = results.slice(1 + opening(this.#deadline).length, -1);
      return batch.map(({ count }, index) => firstOf(claimed[2 * index + 1], count));
    });
  }
}

const BATCH = 100;

/**
 * The commit waits for the disk, whatever the server is set to.
 * A claim that a crash of the server takes back is one of ids that this process still hands out, as others would.
 */
const opening = (deadline: number): readonly RawStatement[] => [
  plain('set local synchronous_commit = on'),
  plain(`set local statement_timeout = ${deadline}`),
];

const claimStatement = ({ tenantId, table, count }: Demand): RawStatement => ({
  name: 'claim_ids',
  text: `insert into id_blocks (tenant_id, "table", next) values ($1::bigint, $2, 1 + $3::bigint) \
on conflict (tenant_id, "table") do update set next = id_blocks.next + $3::bigint where id_blocks.tenant_id = $1::bigint returning next`,
  values: [tenantId, table, count],
});

const firstOf = (result: RawResult | undefined, count: number): number => Number(result?.rows[0]?.[0]) - count;
