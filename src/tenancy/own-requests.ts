import { chunksOf } from '../core/chunks.ts';
import { insertable, literal, unique, withIds } from '../db/ids.ts';
import type { Database } from '../db/open.ts';
import type { OwnerTransaction } from '../db/owner.ts';

/** A request of an API user, as `GET /me/requests` lists it. */
export interface OwnRequest {
  readonly at: Date;
  readonly requestId: string;
  readonly method: string;
  /** Null: none was found. */
  readonly operation: string | null;
  /** The path of the operation, with placeholders. */
  readonly path: string | null;
  readonly status: number;
  /** The error code; null: none. */
  readonly code: string | null;
  readonly milliseconds: number;
}

/** Requests that are kept of an API user. */
export const mostOwn = 1000;

/** Writes requests by API user, and removes those beyond the last ones of each. */
export const keepOwn = async (
  requests: ReadonlyMap<number, readonly OwnRequest[]>,
  transaction: OwnerTransaction,
): Promise<void> => {
  const rows = [...requests].flatMap(([api_user_id, own]) =>
    own.map(({ at, requestId: request_id, ...values }) => ({
      api_user_id,
      at: at.toISOString(),
      request_id,
      ...values,
    })),
  );
  for (const chunk of chunksOf(await withIds(transaction, 'own_requests', rows), insertable))
    await transaction.kysely.insertInto('own_requests').values(chunk).execute();
  await transaction.send({
    name: 'own_requests_prune',
    // The first beyond the last ones is found once for each of them, not for each of their requests.
    text: `with beyond as materialized (
        select u.id as api_user_id, first.at, first.id from unnest($2::bigint[]) u(id), lateral (
          select at, id from own_requests where tenant_id = $1 and api_user_id = u.id
          order by at desc, id desc offset ${mostOwn} limit 1) first)
      delete from own_requests r using beyond
      where r.tenant_id = $1 and r.api_user_id = beyond.api_user_id and (r.at, r.id) <= (beyond.at, beyond.id)`,
    values: [String(transaction.tenantId), literal(unique([...requests.keys()]))],
  });
};

/** Returns the last requests of an API user, newest first. */
export const readOwn = (database: Pick<Database, 'asOwner'>, tenantId: number, apiUserId: number, limit: number) =>
  database.asOwner(tenantId, ({ kysely }) =>
    kysely
      .selectFrom('own_requests')
      .select(['at', 'request_id', 'method', 'operation', 'path', 'status', 'code', 'milliseconds'])
      .where('api_user_id', '=', apiUserId)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
