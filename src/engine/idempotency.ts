import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import { dryRun, isOn, parseSwitch } from '../core/call/switch.ts';
import { ApiError } from '../core/errors.ts';
import { type Representation, revived } from '../core/resource/representation.ts';
import type { TenantDb, Transaction } from '../db/database.ts';

/** An operation's handler: a call of it → its response. */
export type Handle = (call: Call, db: TenantDb) => Promise<Reply>;

/** Hours for which an answer is kept. */
const lifetime = sql`interval '24 hours'`;
/** Answers past their time that one write removes. */
const swept = 50;

/**
 * A write's handler that runs once for each Idempotency-Key of an API user: its answer is kept in the write's own transaction, and
 * a repeat gets it again. Only successes are kept, so that a failed request can be repeated with the same key.
 */
export const once = (handle: Handle, method: string): Handle => {
  if (method !== 'post' && method !== 'put') return handle;
  return (call, db) => {
    const { idempotencyKey: key } = call.headers;
    // What is accepted to be rehearsed later keeps nothing either, and may have the key of the write that follows.
    const isLater = !db.rehearsed && isOn(call.parameters, dryRun);
    return key === null || isLater ? handle(call, db) : runOnce(handle, call, checkKey(key), db);
  };
};

const checkKey = (key: string): string => {
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new ApiError('invalid_parameter', { message: 'Idempotency-Key has 1 to 255 characters of ASCII.' });
};

const runOnce = (handle: Handle, call: Call, key: string, db: TenantDb): Promise<Reply> => {
  const hash = digest([call.principal.apiUser.id, key]).toString('base64url');
  const request = digest([
    call.operation,
    call.self.path,
    // A dry run has the response of the write: with the key of one that was made, the one that is kept.
    call.self.parameters.filter(([name, value]) => name !== dryRun || (!db.rehearsed && parseSwitch(name, value))),
    call.content ? [call.content.digest, call.content.type, call.headers.declared] : call.body,
  ]).toString('base64url');
  return db.joined(async (parts, transaction) => {
    const known = await claim(call.principal.tenant.id, hash, transaction);
    if (known) {
      if (known.request !== request) throw new ApiError('idempotency_conflict');
      if (known.reply === null)
        throw new ApiError('idempotency_conflict', {
          message:
            'The request has been executed; its response has been removed, since it showed a person who is forgotten.',
        });
      const reply = revivedReply(JSON.parse(known.reply));
      return { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } };
    }
    const reply = await handle(call, parts);
    if (reply.status >= 200 && reply.status < 300)
      await keep({ api_user_id: call.principal.apiUser.id, hash, request, ...keptOf(reply) }, transaction);
    return reply;
  });
};

const digest = (value: unknown): Buffer => createHash('sha256').update(JSON.stringify(value)).digest();

/** Returns the columns of a reply. */
const keptOf = (reply: Reply): Pick<Answer, 'reply' | 'shown'> => {
  const { body } = reply;
  if (body && body.kind !== 'rows' && body.kind !== 'value')
    throw new Error(`The answer of a write is a record or a value, not ${body.kind}.`);
  const shown = body?.kind === 'rows' ? shownIn(body.representation) : [];
  return { reply: JSON.stringify(reply), shown: JSON.stringify(shown) };
};

const revivedReply = (reply: Reply): Reply =>
  reply.body?.kind === 'rows'
    ? { ...reply, body: { ...reply.body, representation: revived(reply.body.representation) } }
    : reply;

/** Returns the records of a response of a write, whose first member is their key: each as `<resource>/<key>`. */
const shownIn = ({ plural, records }: Representation): readonly string[] =>
  records.map(record => `${plural}/${record.text(0)}`);

/**
 * Takes the key for this transaction. The lock is not waited for: that it is taken tells that the first request is still running.
 * @returns the answer that is kept for the key; undefined: there is none yet
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
      .select(['request', 'reply'])
      .where('hash', '=', hash)
      .where('created_at', '>', sql<string>`now() - ${lifetime}`)
      .executeTakeFirst(),
  ]);
  if (locked?.rows[0]?.[0] !== 't') throw new ApiError('idempotency_in_progress');
  return known;
};

interface Answer {
  readonly api_user_id: number;
  readonly hash: string;
  readonly request: string;
  readonly reply: string;
  /** The records that the body shows, as JSON. */
  readonly shown: string;
}

/** Keeps an answer, and removes some whose time is over: those that another write is removing are left to it. */
const keep = async (answer: Answer, { kysely }: Transaction): Promise<void> => {
  const over = sql<boolean>`created_at <= now() - ${lifetime}`;
  await kysely.deleteFrom('idempotency_keys').where('hash', '=', answer.hash).execute();
  await kysely
    .deleteFrom('idempotency_keys')
    .where('hash', 'in', expired =>
      expired.selectFrom('idempotency_keys').select('hash').where(over).limit(swept).forUpdate().skipLocked(),
    )
    .execute();
  await kysely.insertInto('idempotency_keys').values(answer).execute();
};
