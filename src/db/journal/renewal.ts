import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Entered, Transaction } from '../database.ts';
import { enteredOf, presentStatement, tenantStatement } from '../enter.ts';
import { ensureHead, lockHead, numberEntriesWithin } from './number.ts';
import { boundsOf } from './snapshots.ts';
import { journalTables } from './tables.ts';

/** A transaction of the tables' owner. */
type Sender = Pick<Transaction, 'send'>;

type AsOwner = <T>(tenantId: number, work: (transaction: Sender) => Promise<T>) => Promise<T>;

/** How a journal is renewed. */
export interface RenewalOptions {
  /** Cursors stay valid: nothing has been lost on the way from the other server. Default: they expire. */
  readonly moved?: boolean;
}

/** Number of entries of one transaction of a renewal. */
const batchSize = 5000;

/**
 * Renews journals that another server has written: after a restore, a failover or a move.
 * Their entries have transaction ids of that server, which say nothing here, and what its readers have seen may be lost.
 */
export class JournalServers {
  readonly #asOwner: AsOwner;
  /** The server that has written the journal of each tenant. */
  readonly #known = new LRUCache<number, string>({ max: 10_000 });
  readonly #examining = new Map<number, Promise<boolean>>();

  constructor(asOwner: AsOwner) {
    this.#asOwner = asOwner;
  }

  /**
   * Renews the journal of a tenant if another server has written it.
   * It is asked where the tenant is first met, and where the server is another one since.
   * @returns whether it was renewed
   */
  async meet(tenantId: number, { server }: Entered): Promise<boolean> {
    if (this.#known.get(tenantId) === server) return false;
    const isRenewed = await this.examine(tenantId);
    this.#known.set(tenantId, server);
    return isRenewed;
  }

  /** Renews the journal of a tenant if another server has written it. @returns whether it was */
  examine(tenantId: number): Promise<boolean> {
    const running = this.#examining.get(tenantId);
    if (running) return running;
    const examination = this.#examine(tenantId).finally(() => this.#examining.delete(tenantId));
    this.#examining.set(tenantId, examination);
    return examination;
  }

  async #examine(tenantId: number): Promise<boolean> {
    const isForeign = await this.#asOwner(tenantId, async ({ send }) => {
      const ofResources = newestStatement(tenantId, journalled);
      const [head, newest, present] = await send(serverStatement(tenantId), ofResources, presentStatement);
      const { snapshot, server } = enteredOf(present);
      const remembered = head?.rows[0]?.[0];
      const { end } = boundsOf(snapshot);
      const isWritten =
        newest?.rows.some(([transaction]) => transaction != null && BigInt(transaction) >= end) ?? false;
      if (isWritten || (remembered != null && remembered !== server)) return true;
      if (remembered == null) await send(rememberStatement(tenantId, server));
      return false;
    });
    if (isForeign) await this.renew(tenantId);
    return isForeign;
  }

  /**
   * Renews the journal of a tenant.
   * Its entries are numbered in their sequence, and their transactions become the first of this server. All cursors expire unless it was moved, and what
   * was kept of the tenant no longer holds. It can be repeated after an interruption.
   */
  async renew(tenantId: number, { moved = false }: RenewalOptions = {}): Promise<void> {
    const { snapshot, server, epoch, last } = await this.#asOwner(tenantId, async ({ send }) => {
      const [, head, entry, , present] = await send(
        ensureHead(tenantId),
        serverStatement(tenantId),
        lastStatement(tenantId),
        outdateStatement(tenantId, randomUUID()),
        presentStatement,
      );
      return { ...enteredOf(present), epoch: String(head?.rows[0]?.[1]), last: entry?.rows[0]?.[0] ?? '0' };
    });
    const renewed = async ({ send }: Sender, after: string): Promise<string | null> => {
      const [, batch] = await send(lockHead(tenantId), batchStatement(tenantId, after, last, snapshot));
      return batch?.rows[0]?.[0] ?? null;
    };
    for (let after: string | null = '0'; after !== null; ) {
      const from: string = after;
      after = await this.#asOwner(tenantId, transaction => renewed(transaction, from));
    }
    await this.#asOwner(tenantId, async transaction => {
      await numberEntriesWithin(tenantId, transaction, snapshot);
      const next = moved ? epoch : randomUUID();
      const renewed = renewedStatement(tenantId, server, epoch, next);
      await transaction.send(renewed, outdateStatement(tenantId, randomUUID()));
    });
  }
}

/** The resources with a journal, as an array literal. */
const journalled = `{${[...new Set([...journalTables.values()].map(({ resource }) => resource))]}}`;

const serverStatement = tenantStatement(
  'journal_server',
  'select server, epoch from journal_heads where tenant_id = $1 and id = 1',
);

const rememberStatement = tenantStatement(
  'journal_remember',
  'update journal_heads set server = $2 where tenant_id = $1 and id = 1 and server is null',
);

/** Reads the highest transaction id of each resource, which an index has. */
const newestStatement = tenantStatement(
  'journal_newest',
  `select (
  select j.transaction from journal j where j.tenant_id = $1 and j.resource = own.resource order by j.transaction desc limit 1
) from unnest($2::text[]) own (resource)`,
);

const lastStatement = tenantStatement(
  'journal_last',
  'select sequence from journal where tenant_id = $1 order by sequence desc limit 1',
);

/** Ends what was kept of the tenant (snapshots.sql): ids that it is compared with change. */
const outdateStatement = tenantStatement(
  'journal_outdate',
  'update dynamic_versions set version = $2 where tenant_id = $1 and id = 1',
);

/**
 * Makes the transactions of entries after one, up to the last, the first of this server.
 * Those in progress in the snapshot are its own, and keep their ids. 3 is the lowest id that a transaction can have. Joined by ctid, as for
 * numbering.
 */
const batchStatement = tenantStatement(
  'journal_renew_batch',
  `with batch as (
  select ctid as stored, sequence, transaction from journal
  where tenant_id = $1 and sequence > $2::bigint and sequence <= $3::bigint order by sequence limit ${batchSize}
), renewed as (
  update journal j set transaction = '3' from batch b
  where j.tenant_id = $1 and j.ctid = b.stored and b.transaction >= pg_snapshot_xmin($4::pg_snapshot)
    and (b.transaction >= pg_snapshot_xmax($4::pg_snapshot) or pg_visible_in_snapshot(b.transaction, $4::pg_snapshot))
  returning 1
)
select max(sequence) from batch`,
);

/** Where another process has renewed it meanwhile, its epoch stays. */
const renewedStatement = tenantStatement(
  'journal_renewed',
  'update journal_heads set server = $2, epoch = $4 where tenant_id = $1 and id = 1 and epoch = $3',
);
