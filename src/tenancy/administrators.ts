import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { tokenError } from './token-error.ts';

/** Who holds an administration token: an operator, or the administrator of one tenant. */
export interface Administrator {
  /** The id of the token. */
  readonly id: string;
  readonly name: string;
  /** The slug of the only tenant; null: an operator, who may administer all. */
  readonly tenant: string | null;
  readonly expiresAt: Date;
}

/** The stored data of an administration token; the token itself is not stored. */
export type AdministratorEntry = ReturnType<typeof toEntry>;

/** The service's own tables. */
export type SystemDatabase = Pick<Database, 'system'>;

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
const shape = /^adm_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** Issues an administration token for `seconds`, for one tenant or (null) all. It is not stored. */
export const issueAdministrationToken = async (
  { system }: SystemDatabase,
  { name, tenant, seconds }: { readonly name: string; readonly tenant: Tenant | null; readonly seconds: number },
): Promise<{ readonly token: string; readonly administrator: Administrator }> => {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + seconds) * 1000);
  await system
    .insertInto('administration_tokens')
    .values({
      id,
      name,
      limited_to: tenant?.id ?? null,
      hash: hashOf(secret),
      expires_at: expiresAt.toISOString(),
    })
    .execute();
  return { token: `adm_${id}_${secret}`, administrator: { id, name, tenant: tenant?.slug ?? null, expiresAt } };
};

const entries = ({ system }: SystemDatabase) =>
  system
    .selectFrom('administration_tokens as a')
    .leftJoin('tenants', 'tenants.id', 'a.limited_to')
    .select(['a.id', 'a.name', 'a.limited_to', 'a.hash', 'a.created_at', 'a.expires_at', 'a.revoked_at'])
    .select(['a.last_used_at', 'tenants.slug']);

type AdministratorRow = Awaited<ReturnType<ReturnType<typeof entries>['executeTakeFirstOrThrow']>>;

/** Returns a time of a row; null: it has none. */
export const dateOf = (instant: string | null): Date | null => (instant === null ? null : new Date(instant));

const toEntry = (row: AdministratorRow) => ({
  id: row.id,
  name: row.name,
  tenant: row.slug,
  expiresAt: new Date(row.expires_at),
  createdAt: new Date(row.created_at),
  revokedAt: dateOf(row.revoked_at),
  /** To within a minute. */
  lastUsedAt: dateOf(row.last_used_at),
});

/** Returns all administration tokens, oldest first. */
export const listAdministrationTokens = async (database: SystemDatabase): Promise<readonly AdministratorEntry[]> =>
  (await entries(database).orderBy('a.created_at').orderBy('a.id').execute()).map(toEntry);

/** Revokes an administration token at once; null: none. An earlier time of revocation stays. */
export const revokeAdministrationToken = async (
  { system }: SystemDatabase,
  id: string,
): Promise<{ readonly revokedAt: Date } | null> => {
  const row = await system
    .updateTable('administration_tokens')
    .set({ revoked_at: sql<string>`coalesce(revoked_at, date_trunc('second', now()))` })
    .where('id', '=', id)
    .returning('revoked_at')
    .executeTakeFirst();
  return row?.revoked_at ? { revokedAt: new Date(row.revoked_at) } : null;
};

/**
 * Returns the administrator that a token belongs to.
 * It is read each time, so that a revocation takes effect at once.
 * @throws ApiError invalid_token (the same for every defect), token_expired, token_revoked
 */
export const findAdministrator = async (database: SystemDatabase, token: string): Promise<Administrator> => {
  const [, id, secret] = shape.exec(token) ?? [];
  if (id === undefined || secret === undefined) throw tokenError('invalid_token');
  const row = await entries(database).where('a.id', '=', id).executeTakeFirst();
  const given = Buffer.from(hashOf(secret));
  // An unknown id takes as long as a wrong secret.
  const known = timingSafeEqual(given, Buffer.from(row?.hash ?? hashOf('')));
  if (!row || !known) throw tokenError('invalid_token');
  const { id: tokenId, name, tenant, expiresAt, revokedAt, lastUsedAt } = toEntry(row);
  if (revokedAt) throw tokenError('token_revoked');
  const now = Date.now();
  if (expiresAt.getTime() <= now) throw tokenError('token_expired');
  if (lastUsedAt === null || lastUsedAt.getTime() < now - minute) await markUsed(database, id);
  return { id: tokenId, name, tenant, expiresAt };
};

const minute = 60_000;

const markUsed = async ({ system }: SystemDatabase, id: string): Promise<void> => {
  await system
    .updateTable('administration_tokens')
    .set({ last_used_at: sql<string>`date_trunc('second', now())` })
    .where('id', '=', id)
    .execute();
};
