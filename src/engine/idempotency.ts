import { createHash } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { Tables } from '../../generated/tables.ts';
import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import { dryRun, isOn } from '../core/call/switch.ts';
import { ApiError } from '../core/errors.ts';
import { viewOf } from '../core/principal.ts';
import { type Access, unrestricted } from '../core/resource/access.ts';
import { type Representation, revived } from '../core/resource/representation.ts';
import { categoriesOf } from '../core/resource/view.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { keepCopies } from './forget/copies.ts';

/** An operation's handler: a call of it → its response. */
export type Handle = (call: Call, db: TenantDb) => Promise<Reply>;

/** Hours for which a response is kept. */
const lifetime = sql`interval '24 hours'`;
/** Responses past their time that one write removes. */
const swept = 50;

/**
 * A write's handler that runs once for each Idempotency-Key of an API user.
 * Its response is kept in the write's own transaction, and a repeat gets it again. Only successes are kept, so that a failed request can
 * be repeated with the same key. A dry run keeps nothing and takes no notice of what is kept. See docs/decisions.md, "Repetitions".
 */
export const once = (handle: Handle, method: string): Handle => {
  if (method !== 'post' && method !== 'put') return handle;
  return (call, db) => {
    const { idempotencyKey: key } = call.headers;
    if (key === null) return handle(call, db);
    checkKey(key);
    return isOn(call.parameters, dryRun) ? handle(call, db) : runOnce(handle, call, key, db);
  };
};

const checkKey = (key: string): void => {
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return;
  throw new ApiError('invalid_parameter', { message: 'Idempotency-Key has 1 to 255 characters of ASCII.' });
};

const runOnce = (handle: Handle, call: Call, key: string, db: TenantDb): Promise<Reply> => {
  const hash = digest([call.principal.apiUser.id, key]).toString('base64url');
  const request = digest([
    call.operation,
    call.self.path,
    call.self.parameters.filter(([name]) => name !== dryRun),
    call.content ? [call.content.digest, call.content.type, call.headers.declared] : call.body,
  ]).toString('base64url');
  return db.joined(async (parts, transaction) => {
    keepCopies(transaction);
    const known = await claim(call.principal.tenant.id, hash, transaction);
    if (known) {
      if (known.request !== request) throw new ApiError('idempotency_conflict');
      const kept: Partial<Reply> = JSON.parse(known.reply ?? '{}');
      if (kept.body === undefined) throw notKept(kept, 'it showed a person who has been forgotten');
      if ((known.view ?? viewHash(call, unrestricted)) !== viewHash(call, call.principal.apiUser))
        throw notKept(kept, 'what the API user may see and do has changed');
      const reply = revivedReply(kept as Reply);
      return { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } };
    }
    const reply = await handle(call, parts);
    if (reply.status >= 200 && reply.status < 300) {
      const { apiUser } = call.principal;
      const view = viewHash(call, apiUser);
      await keep({ api_user_id: apiUser.id, hash, request, view, ...keptOf(reply) }, transaction);
    }
    return reply;
  });
};

/** Returns the hash of what the API user of a call sees and may do with this access. */
const viewHash = (call: Call, access: Access): string => {
  const { apiUser } = call.principal;
  const view = viewOf({ ...call.principal, apiUser: { ...apiUser, ...access } });
  return digest([view, categoriesOf(call.fields, access)]).toString('base64url');
};

const notKept = ({ status, headers = {} }: Partial<Reply>, reason: string): ApiError => {
  const { location } = headers;
  return new ApiError('response_not_kept', {
    message: `The request has been carried out${status ? ` with status ${status}` : ''}; its response is not shown again, because ${reason}.`,
    headers: location === undefined ? {} : { location },
  });
};

const digest = (value: unknown): Buffer => createHash('sha256').update(JSON.stringify(value)).digest();

/** Returns the columns of a reply: itself and the records that its body shows, as JSON. */
const keptOf = (reply: Reply): Pick<KeptReply, 'reply' | 'shown'> => {
  const { body } = reply;
  if (body && body.kind !== 'rows' && body.kind !== 'value')
    throw new Error(`The response to a write is a record or a value, not ${body.kind}.`);
  const shown = body?.kind === 'rows' ? shownIn(body.representation) : [];
  return { reply: JSON.stringify(reply), shown: JSON.stringify(shown) };
};

const revivedReply = (reply: Reply): Reply =>
  reply.body?.kind === 'rows'
    ? { ...reply, body: { ...reply.body, representation: revived(reply.body.representation) } }
    : reply;

/** Returns the records of a write's response, whose first member is their key: `<resource>/<key>`. */
const shownIn = ({ plural, records }: Representation): readonly string[] =>
  records.map(record => `${plural}/${record.text(0)}`);

/**
 * Takes the key for this transaction.
 * The lock is not waited for: if it is taken, the first request is still running.
 * @returns the reply that is kept for the key; undefined: there is none yet
 * @throws ApiError idempotency_in_progress (409)
 */
const claim = async (tenantId: number, hash: string, transaction: Transaction) => {
  const lock = digest([tenantId, hash]).readBigInt64BE();
  const [[locked], known] = await Promise.all([
    transaction.send({
      name: 'idempotency_lock',
      text: 'select pg_try_advisory_xact_lock($1::bigint)',
      values: [String(lock)],
    }),
    transaction.kysely
      .selectFrom('idempotency_keys')
      .select(['request', 'reply', 'view'])
      .where('hash', '=', hash)
      .where('created_at', '>', sql<string>`now() - ${lifetime}`)
      .executeTakeFirst(),
  ]);
  if (locked?.rows[0]?.[0] !== 't') throw new ApiError('idempotency_in_progress');
  return known;
};

type KeptReply = Insertable<Tables['idempotency_keys']>;

/** Keeps a response, and removes expired ones that no other write is removing. */
const keep = async (kept: KeptReply, { kysely }: Transaction): Promise<void> => {
  await kysely.deleteFrom('idempotency_keys').where('hash', '=', kept.hash).execute();
  // In their order and as an array: with any number of keys, they are found by the index, and once.
  const expired = kysely
    .selectFrom('idempotency_keys')
    .select('hash')
    .where('created_at', '<=', sql<string>`now() - ${lifetime}`)
    .orderBy('created_at')
    .limit(swept)
    .forUpdate()
    .skipLocked();
  await kysely.deleteFrom('idempotency_keys').where('hash', '=', sql<string>`any(array(${expired}))`).execute();
  await kysely.insertInto('idempotency_keys').values(kept).execute();
};
