import { createHmac, timingSafeEqual } from 'node:crypto';
import { instantOf } from '../../core/resource/codec.ts';
import type { Result, Row, Statement, TenantDb, Transaction } from '../database.ts';
import { awaitPresent } from './present.ts';
import type { ChangeKind } from './write.ts';

/** A change of a record, as clients read it. */
export interface JournalEntry {
  /** Its place in the order of the tenant's changes, without gaps. */
  readonly position: number;
  /** Date-time (RFC 3339). */
  readonly at: string;
  readonly resource: string;
  readonly id: number;
  readonly external_id: string | null;
  readonly change: ChangeKind;
  /** Names of fields as stored, with the category of a differing sensitive part or of the record. */
  readonly fields: readonly string[];
  readonly by: { readonly type: string; readonly id: number | null };
  readonly request_id: string | null;
}

/** Which entries are read. */
export interface JournalQuery {
  /** A cursor; null: from the oldest entry that is kept; `now`: only what comes. */
  readonly after: string | null;
  readonly resources: readonly string[];
  readonly changes: readonly string[];
  readonly limit: number;
}

/** The entries that were found. */
export interface JournalPage {
  readonly entries: readonly JournalEntry[];
  /** The cursor after the last entry that was found or passed over. */
  readonly next: string;
  /** The position that it stands for. */
  readonly position: number;
  /** Whether every entry committed before the read began has been found or passed over. */
  readonly caughtUp: boolean;
}

/** Why a cursor can't be used: it was not issued for this tenant, or what follows it is no longer kept. */
export class CursorError extends Error {
  readonly reason: 'invalid' | 'expired';
  constructor(reason: 'invalid' | 'expired') {
    super(`The cursor is ${reason}.`);
    this.reason = reason;
  }
}

interface JournalHead {
  readonly position: number;
  readonly forgotten: number;
  readonly epoch: string;
  readonly secret: string;
  /** Whether there are entries without a position. */
  readonly unnumbered: boolean;
}

/**
 * Reads entries in the order of their positions, which it assigns first where entries have none yet.
 * Takes one trip if there are none of those. See docs/decisions.md, "Changes".
 * @throws CursorError
 */
export const readJournal = async (query: JournalQuery, db: TenantDb): Promise<JournalPage> => {
  const first = await readOnce(query, db);
  if (first.head && !first.head.unnumbered) return pageOf(query, first.head, first.rows, db.tenant.id);
  if (query.after === 'now') await awaitPresent(db);
  await numberEntries(db);
  const second = await readOnce(query, db);
  if (!second.head) throw new Error('The journal of the tenant has no head.');
  return pageOf(query, second.head, second.rows, db.tenant.id);
};

/** Which entries are read in the order of their positions. */
type EntriesQuery = Pick<JournalQuery, 'resources' | 'changes' | 'limit'>;

/** Entries that follow a position, and where their reader goes on. */
export interface Following {
  readonly entries: readonly JournalEntry[];
  /** The last position that was read, or of the journal if there are no more. */
  readonly position: number;
  /** Whether the limit leaves entries over. */
  readonly more: boolean;
  /** Up to which position entries have been deleted. */
  readonly forgotten: number;
}

/** Reads the entries after a position within a transaction; those without a position are left out. */
export const readFollowing = async (
  after: number,
  query: EntriesQuery,
  transaction: Transaction,
): Promise<Following> => {
  const id = String(transaction.tenant.id);
  const [head, found] = await transaction.send(headStatement(id), entriesStatement(id, after, query));
  const [row] = (head as Result).rows;
  const { position = 0, forgotten = 0 } = row ? headOf(row) : {};
  const { rows } = found as Result;
  const more = rows.length > query.limit;
  const entries = (more ? rows.slice(0, -1) : rows).map(entryOf);
  const last = entries.at(-1)?.position ?? 0;
  return { entries, position: more ? last : Math.max(position, last), more, forgotten };
};

const readOnce = async (query: JournalQuery, db: TenantDb) => {
  const tenantId = String(db.tenant.id);
  const after = positionOf(query.after);
  const [head, entries] = await db.read(headStatement(tenantId), entriesStatement(tenantId, after, query));
  const [row] = (head as Result).rows;
  return { head: row ? headOf(row) : null, rows: query.after === 'now' ? [] : (entries as Result).rows };
};

const headOf = ([position, forgotten, epoch, secret, unnumbered]: Row): JournalHead => ({
  position: Number(position),
  forgotten: Number(forgotten),
  epoch: String(epoch),
  secret: String(secret),
  unnumbered: unnumbered === 't',
});

const pageOf = (query: JournalQuery, head: JournalHead, rows: readonly Row[], tenantId: number): JournalPage => {
  checkCursor(query.after, head, tenantId);
  const more = rows.length > query.limit;
  const entries = (more ? rows.slice(0, -1) : rows).map(entryOf);
  const position = more ? (entries.at(-1) as JournalEntry).position : head.position;
  return {
    entries,
    next: printCursor(position, head, tenantId),
    position,
    caughtUp: !more && (!head.unnumbered || query.after === 'now'),
  };
};

const entryOf = ([
  position,
  at,
  resource,
  id,
  externalId,
  change,
  fields,
  byType,
  byId,
  requestId,
]: Row): JournalEntry => ({
  position: Number(position),
  at: instantOf(String(at)),
  resource: String(resource),
  id: Number(id),
  external_id: externalId ?? null,
  change: change as ChangeKind,
  fields: JSON.parse(String(fields)),
  by: { type: String(byType), id: byId == null ? null : Number(byId) },
  request_id: requestId ?? null,
});

const headStatement = (tenantId: string): Statement => ({
  name: 'journal_head',
  text: `select h.position, h.forgotten, h.epoch, h.secret, \
exists (select from journal j where j.tenant_id = $1 and j.position is null) \
from journal_heads h where h.tenant_id = $1 and h.id = 1`,
  values: [tenantId],
});

const entriesStatement = (tenantId: string, after: number, { resources, changes, limit }: EntriesQuery): Statement => ({
  name: 'journal_entries',
  text: `select position, at, resource, id, external_id, change, to_json(fields), by_type, by_id, request_id from journal \
where tenant_id = $1 and position > $2::bigint and resource = any($3::text[]) and change = any($4::text[]) \
order by position limit $5`,
  values: [tenantId, String(after), `{${resources}}`, `{${changes}}`, String(limit + 1)],
});

/** Does the same as `numberEntriesWithin` in a transaction of its own. */
export const numberEntries = (db: TenantDb): Promise<unknown> =>
  db.transaction(transaction => numberEntriesWithin(db.tenant.id, transaction));

/**
 * Assigns positions to the entries that no transaction in progress can precede any more.
 * Concurrent calls for a tenant run sequentially: the second statement sees what the other has assigned, since it has a
 * snapshot of its own.
 */
export const numberEntriesWithin = (
  tenantId: number,
  transaction: { send(...statements: readonly Statement[]): Promise<unknown> },
): Promise<unknown> => {
  const values = [String(tenantId)];
  return transaction.send(
    {
      name: 'journal_ensure_head',
      text: 'insert into journal_heads (tenant_id, id) values ($1::bigint, 1) on conflict do nothing',
      values,
    },
    {
      name: 'journal_lock_head',
      text: 'select position from journal_heads where tenant_id = $1 and id = 1 for update',
      values,
    },
    { name: 'journal_number', text: numbering, values },
  );
};

/** Joined by ctid: without statistics, a plan would compare each entry with all others. */
const numbering = `
with head as (select position from journal_heads where tenant_id = $1 and id = 1),
next as (
  select ctid as stored, row_number() over (order by sequence) as place from journal
  where tenant_id = $1 and position is null and transaction < pg_snapshot_xmin(pg_current_snapshot())
),
numbered as (
  update journal j set position = (select position from head) + next.place from next
  where j.tenant_id = $1 and j.ctid = next.stored
  returning 1
)
update journal_heads set position = position + (select count(*) from numbered) where tenant_id = $1 and id = 1`;

/** Cursors are the epoch and the position, signed with the tenant's secret. */
const printCursor = (position: number, { epoch, secret }: JournalHead, tenantId: number): string => {
  const content = `${tenantId}.${epoch}.${position}`;
  return Buffer.from(`${epoch}.${position}.${sign(content, secret).toString('base64url')}`).toString('base64url');
};

const sign = (content: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(content).digest().subarray(0, 16);

const partsOf = (cursor: string) =>
  /^(?<epoch>[0-9a-f-]{36})\.(?<position>\d{1,15})\.(?<signature>[\w-]{22})$/.exec(
    Buffer.from(cursor, 'base64url').toString(),
  )?.groups ?? null;

/** The position of a cursor that has not been verified yet. @throws CursorError */
const positionOf = (after: string | null): number => {
  if (after === null || after === 'now') return 0;
  const parts = partsOf(after);
  if (!parts) throw new CursorError('invalid');
  return Number(parts.position);
};

const checkCursor = (after: string | null, head: JournalHead, tenantId: number): void => {
  if (after === null || after === 'now') return;
  const { epoch = '', position = '', signature = '' } = partsOf(after) ?? {};
  const expected = sign(`${tenantId}.${epoch}.${position}`, head.secret);
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new CursorError('invalid');
  const place = Number(position);
  if (epoch !== head.epoch || place < head.forgotten || place > head.position) throw new CursorError('expired');
};
