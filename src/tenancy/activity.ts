import { sql } from 'kysely';
import { withIds } from '../db/ids.ts';
import type { Database } from '../db/open.ts';
import type { OwnerTransaction } from '../db/owner.ts';
import { keepOwn, mostOwn, type OwnRequest } from './own-requests.ts';

/** A request of a tenant that has been responded to. */
export interface ServedRequest extends Omit<OwnRequest, 'at'> {
  readonly tenantId: number;
  /** Null: it is not known. */
  readonly apiUserId: number | null;
  /** The token's `jti`; null: none, or an invalid one. */
  readonly tokenId: string | null;
  /** The engine's verb, `action`, or `unknown` for a path that no operation has. */
  readonly class: string;
}

interface DailyCount {
  readonly apiUserId: number;
  readonly day: string;
  readonly class: string;
  requests: number;
  refused: number;
}

type Refused = Pick<ServedRequest, 'apiUserId' | 'operation' | 'status' | 'code' | 'requestId'> & { readonly at: Date };

/** Who sent a request: whoever has no token must not displace what API users have sent. */
const senders = ['user', 'unknown'] as const;
type SenderKind = (typeof senders)[number];

/** What has been recorded of one tenant. */
interface Batch {
  readonly counts: Map<string, DailyCount>;
  /** The time of the last use, by token. */
  readonly uses: Map<string, Date>;
  readonly refused: Record<SenderKind, Refused[]>;
  /** The latest requests, by API user. */
  readonly own: Map<number, OwnRequest[]>;
}

/** Rejected requests per tenant and kind of sender in one flush: a flood must not flood writes. */
const mostAtOnce = 100;
/** Rejected requests that are kept of a tenant, and kind of sender, and for how long. */
const mostKept = 1000;
const keptFor = sql<string>`now() - interval '7 days'`;

const emptyBatch = (): Batch => ({
  counts: new Map(),
  uses: new Map(),
  refused: { user: [], unknown: [] },
  own: new Map(),
});

/** Adds to the latest values of a list, of which the oldest is dropped. */
const addTo = <T>(latest: T[], value: T, most: number): void => {
  if (latest.length === most) latest.shift();
  latest.push(value);
};

/**
 * Creates the record of what is known of requests, which is in memory until the next flush.
 * @param failed called with the reason why a batch was not written
 */
export const createActivity = (
  database: Pick<Database, 'asOwner'>,
  failed: (error: unknown) => void,
  now: () => Date = () => new Date(),
) => {
  let batches = new Map<number, Batch>();
  const batchOf = (tenantId: number): Batch => {
    const batch = batches.get(tenantId) ?? emptyBatch();
    batches.set(tenantId, batch);
    return batch;
  };
  const count = (batch: Batch, added: DailyCount): void => {
    const key = `${added.apiUserId} ${added.day} ${added.class}`;
    const known = batch.counts.get(key);
    if (known) {
      known.requests += added.requests;
      known.refused += added.refused;
    } else batch.counts.set(key, added);
  };
  /** Records again what could not be written. */
  const restore = (tenantId: number, { counts, uses, refused, own }: Batch): void => {
    const batch = batchOf(tenantId);
    for (const sender of senders)
      batch.refused[sender] = [...refused[sender], ...batch.refused[sender]].slice(-mostAtOnce);
    for (const [user, earlier] of own)
      batch.own.set(user, [...earlier, ...(batch.own.get(user) ?? [])].slice(-mostOwn));
    for (const added of counts.values()) count(batch, added);
    for (const [token, at] of uses) if (!batch.uses.has(token)) batch.uses.set(token, at);
  };

  return {
    record({ tenantId, apiUserId, tokenId, class: kind, ...request }: ServedRequest): void {
      const at = now();
      const batch = batchOf(tenantId);
      const { operation, status, code, requestId } = request;
      const refused = status >= 400;
      if (apiUserId !== null) {
        count(batch, {
          apiUserId,
          day: at.toISOString().slice(0, 10),
          class: kind,
          requests: 1,
          refused: Number(refused),
        });
        const own = batch.own.get(apiUserId) ?? [];
        batch.own.set(apiUserId, own);
        addTo(own, { at, ...request }, mostOwn);
      }
      if (tokenId !== null) batch.uses.set(tokenId, at);
      if (!refused) return;
      const latest = batch.refused[apiUserId === null ? 'unknown' : 'user'];
      addTo(latest, { at, apiUserId, operation, status, code, requestId }, mostAtOnce);
    },
    /** Writes what has been recorded, one transaction per tenant; failures are repeated later. */
    async flush(): Promise<void> {
      const written = batches;
      batches = new Map();
      for (const [tenantId, batch] of written)
        await database
          .asOwner(tenantId, transaction => write(batch, transaction))
          .catch(error => {
            restore(tenantId, batch);
            failed(error);
          });
    },
  };
};

/** Returns a map's entries by key: processes that write them in one order do not deadlock. */
const inOrder = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));

const write = async ({ counts, uses, refused, own }: Batch, transaction: OwnerTransaction): Promise<void> => {
  const { kysely } = transaction;
  if (counts.size > 0)
    await kysely
      .insertInto('api_user_usage')
      .values(inOrder(counts).map(([, { apiUserId, ...values }]) => ({ api_user_id: apiUserId, ...values })))
      .onConflict(conflict =>
        conflict.columns(['tenant_id', 'api_user_id', 'day', 'class']).doUpdateSet({
          requests: sql<number>`api_user_usage.requests + excluded.requests`,
          refused: sql<number>`api_user_usage.refused + excluded.refused`,
        }),
      )
      .execute();
  for (const [token, at] of inOrder(uses))
    await kysely
      .updateTable('tokens')
      .set({ last_used_at: at.toISOString() })
      .where('jti', '=', token)
      .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at.toISOString())]))
      .execute();
  for (const sender of senders) if (refused[sender].length > 0) await keepRefused(refused[sender], sender, transaction);
  if (own.size > 0) await keepOwn(own, transaction);
};

const keepRefused = async (
  refused: readonly Refused[],
  sender: SenderKind,
  transaction: OwnerTransaction,
): Promise<void> => {
  const { kysely } = transaction;
  const rows = refused.map(({ at, apiUserId, requestId, ...values }) => ({
    at: at.toISOString(),
    api_user_id: apiUserId,
    request_id: requestId,
    ...values,
  }));
  await kysely
    .insertInto('refused_requests')
    .values(await withIds(transaction, 'refused_requests', rows))
    .execute();
  const beyond = await kysely
    .selectFrom('refused_requests')
    .select(['at', 'id'])
    .where('api_user_id', sender === 'user' ? 'is not' : 'is', null)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .offset(mostKept)
    .limit(1)
    .executeTakeFirst();
  await kysely
    .deleteFrom('refused_requests')
    .where('api_user_id', sender === 'user' ? 'is not' : 'is', null)
    .where(({ eb, or }) =>
      or([
        eb('at', '<', keptFor),
        // Many have the same second.
        ...(beyond ? [sql<boolean>`(at, id) <= (${beyond.at}, ${beyond.id})`] : []),
      ]),
    )
    .execute();
};

/** Returns the rejected requests of a tenant of the last seven days, newest first. */
export const readRefused = (database: Pick<Database, 'asOwner'>, tenantId: number, limit: number) =>
  database.asOwner(tenantId, ({ kysely }) =>
    kysely
      .selectFrom('refused_requests as r')
      .leftJoin('api_users as u', 'u.id', 'r.api_user_id')
      .select(['r.at', 'r.operation', 'r.status', 'r.code', 'r.api_user_id', 'u.name as api_user', 'r.request_id'])
      .where('r.at', '>', keptFor)
      .orderBy('r.at', 'desc')
      .orderBy('r.id', 'desc')
      .limit(limit)
      .execute(),
  );

/** Returns the usage of a tenant's API users for that number of days, today included, newest day first. */
export const readUsage = (database: Pick<Database, 'asOwner'>, tenantId: number, days: number) =>
  database.asOwner(tenantId, ({ kysely }) =>
    kysely
      .selectFrom('api_user_usage as s')
      .leftJoin('api_users as u', 'u.id', 's.api_user_id')
      .select(['s.day', 's.api_user_id', 'u.name as api_user', 's.class', 's.requests', 's.refused'])
      .where('s.day', '>', sql<string>`(now() at time zone 'UTC')::date - ${days}::integer`)
      .orderBy('s.day', 'desc')
      .orderBy('s.api_user_id')
      .orderBy('s.class')
      .execute(),
  );
