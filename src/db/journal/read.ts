import { createHmac, timingSafeEqual } from 'node:crypto';
import { instantOf } from '../../core/resource/codec.ts';
import type { Result, Row, Statement, TenantDb, Transaction } from '../database.ts';
import { headOf, headStatement, type JournalHead, mayBeForeign, numberEntriesWithin } from './number.ts';
import { awaitPresent, type Patience } from './present.ts';
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
  /** Names of fields as stored, with the category of a differing sensitive part; marks of the record. */
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

/**
 * Reads entries in the order of their positions, which it assigns first where entries have none yet.
 * Takes one trip if there are none of those. See docs/decisions.md, "Changes".
 * @param isPatient how long the present waits for transactions in progress; default: two seconds
 * @throws CursorError
 */
export const readJournal = async (query: JournalQuery, db: TenantDb, isPatient?: Patience): Promise<JournalPage> => {
  let first = await readOnce(query, db);
  if (mayBeForeign(first.head, first.snapshot) && (await db.examineJournal())) first = await readOnce(query, db);
  if (!first.head) first = await readNumbered(query, db, first.snapshot);
  const { head } = first;
  if (head?.newest === null) return pageOf(query, head, first.rows, db.tenant.id);
  const isNow = query.after === 'now' && head;
  const snapshot = isNow ? await awaitPresent(head.newest, db, isPatient) : first.snapshot;
  const second = await readNumbered(query, db, snapshot);
  if (!second.head) throw new Error('The journal of the tenant has no head.');
  return pageOf(query, second.head, second.rows, db.tenant.id);
};

/** Assigns positions to the entries that can get one, and reads. */
const readNumbered = async (query: JournalQuery, db: TenantDb, snapshot: string) => {
  await db.transaction(transaction => numberEntriesWithin(db.tenant.id, transaction, snapshot));
  return readOnce(query, db);
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
  const { id } = transaction.tenant;
  const [head, found] = await transaction.send(headStatement(id), entriesStatement(id, after, query));
  const { position = 0, forgotten = 0 } = headOf(head?.rows) ?? {};
  const { rows } = found as Result;
  const more = rows.length > query.limit;
  const entries = (more ? rows.slice(0, -1) : rows).map(entryOf);
  const last = entries.at(-1)?.position ?? 0;
  return { entries, position: more ? last : Math.max(position, last), more, forgotten };
};

/** Returns the fields of entries as stored, by position. */
export const readFields = async (
  positions: readonly number[],
  transaction: Transaction,
): Promise<ReadonlyMap<number, readonly string[]>> => {
  const [result] = await transaction.send({
    name: null,
    text: 'select position, to_json(fields) from journal where tenant_id = $1 and position = any($2::bigint[])',
    values: [String(transaction.tenant.id), `{${positions}}`],
  });
  return new Map((result?.rows ?? []).map(([position, fields]) => [Number(position), JSON.parse(String(fields))]));
};

const readOnce = async (query: JournalQuery, db: TenantDb) => {
  const { id } = db.tenant;
  const after = positionOf(query.after);
  const { results, snapshot } = await db.readAt(headStatement(id), entriesStatement(id, after, query));
  const [head, entries] = results;
  return { head: headOf(head?.rows), rows: query.after === 'now' ? [] : (entries as Result).rows, snapshot };
};

const pageOf = (query: JournalQuery, head: JournalHead, rows: readonly Row[], tenantId: number): JournalPage => {
  checkCursor(query.after, head, tenantId);
  const more = rows.length > query.limit;
  const entries = (more ? rows.slice(0, -1) : rows).map(entryOf);
  const position = more ? (entries.at(-1) as JournalEntry).position : head.position;
  return {
    entries,
    next: printCursor(position, head, tenantId),
    position,
    caughtUp: !more && (head.newest === null || query.after === 'now'),
  };
};

const entryOf = (row: Row): JournalEntry => {
  const [position, at, resource, id, externalId = null, change, fields, byType, byId, requestId = null] = row;
  return {
    position: Number(position),
    at: instantOf(String(at)),
    resource: String(resource),
    id: Number(id),
    external_id: externalId,
    change: change as ChangeKind,
    fields: JSON.parse(String(fields)),
    by: { type: String(byType), id: byId == null ? null : Number(byId) },
    request_id: requestId,
  };
};

const entriesStatement = (tenantId: number, after: number, { resources, changes, limit }: EntriesQuery): Statement => ({
  name: 'journal_entries',
  text: `select position, at, resource, id, external_id, change, to_json(fields), by_type, by_id, request_id from journal \
where tenant_id = $1 and position > $2::bigint and resource = any($3::text[]) and change = any($4::text[]) \
order by position limit $5`,
  values: [String(tenantId), String(after), `{${resources}}`, `{${changes}}`, String(limit + 1)],
});

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
