import type { Row, TenantDb, Transaction } from '../database.ts';
import { enteredOf, presentStatement, tenantStatement } from '../enter.ts';
import { boundsOf } from './snapshots.ts';

/** How far a tenant's journal is. */
export interface JournalHead {
  readonly position: number;
  readonly forgotten: number;
  readonly epoch: string;
  readonly secret: string;
  /** The highest transaction id of the entries without a position; null: there are none. */
  readonly newest: string | null;
  /** The transaction id of the entry with the last position; null: it is no longer kept. */
  readonly last: string | null;
}

/** Reads the head of a tenant's journal. */
export const headStatement = tenantStatement(
  'journal_head',
  `select h.position, h.forgotten, h.epoch, h.secret, \
(select j.transaction from journal j where j.tenant_id = $1 and j.position is null order by j.transaction desc limit 1), \
(select j.transaction from journal j where j.tenant_id = $1 and j.position = h.position) \
from journal_heads h where h.tenant_id = $1 and h.id = 1`,
);

/** Returns the head that `headStatement` has read; null: no entry has had a position yet. */
export const headOf = (rows: readonly Row[] | undefined): JournalHead | null => {
  const [row] = rows ?? [];
  if (!row) return null;
  const [position, forgotten, epoch, secret, newest = null, last = null] = row;
  return {
    position: Number(position),
    forgotten: Number(forgotten),
    epoch: String(epoch),
    secret: String(secret),
    newest,
    last,
  };
};

/** Whether entries may have been written on another server: their ids are not given yet. */
export const mayBeForeign = (head: JournalHead | null, snapshot: string): boolean =>
  [head?.newest, head?.last].some(id => id != null && BigInt(id) >= boundsOf(snapshot).end);

/** Assigns positions to a tenant's entries, in a transaction of its own, or renews the journal. */
export const numberEntries = async (db: TenantDb): Promise<void> => {
  const { results, snapshot } = await db.readAt(headStatement(db.tenant.id));
  const head = headOf(results[0]?.rows);
  if (mayBeForeign(head, snapshot) && (await db.examineJournal())) return;
  if (head && head.newest === null) return;
  await db.transaction(transaction => numberEntriesWithin(db.tenant.id, transaction, snapshot));
};

/**
 * Assigns positions to the entries that no transaction in progress can precede any more.
 * Concurrent calls for a tenant run sequentially: the last statement sees what the other has assigned, since it has a snapshot of its own.
 * @param snapshot an earlier one, of the server that assigns transaction ids; default: the present one
 */
export const numberEntriesWithin = async (
  tenantId: number,
  transaction: Pick<Transaction, 'send'>,
  snapshot?: string,
): Promise<void> => {
  const present = snapshot ?? enteredOf((await transaction.send(presentStatement))[0]).snapshot;
  await transaction.send(ensureHead(tenantId), lockHead(tenantId), numbering(tenantId, present));
};

/** Adds the head of a tenant's journal, if it has none. */
export const ensureHead = tenantStatement(
  'journal_ensure_head',
  'insert into journal_heads (tenant_id, id, server) values ($1::bigint, 1, server_identity()) on conflict do nothing',
);

/** Locks the head of a tenant's journal. */
export const lockHead = tenantStatement(
  'journal_lock_head',
  'select position from journal_heads where tenant_id = $1 and id = 1 for update',
);

/** Joined by ctid: without statistics, a plan would compare each entry with all others. */
const numbering = tenantStatement(
  'journal_number',
  `
with head as (select position from journal_heads where tenant_id = $1 and id = 1),
next as (
  select ctid as stored, row_number() over (order by sequence) as place from journal
  where tenant_id = $1 and position is null and transaction < pg_snapshot_xmin($2::pg_snapshot)
),
numbered as (
  update journal j set position = (select position from head) + next.place from next
  where j.tenant_id = $1 and j.ctid = next.stored
  returning 1
)
update journal_heads set position = position + (select count(*) from numbered) where tenant_id = $1 and id = 1`,
);
