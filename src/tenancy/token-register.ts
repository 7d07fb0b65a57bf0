import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { listTenants } from './directory.ts';

/** The stored data of a token; the token itself is not stored. */
export interface TokenEntry {
  readonly tokenId: string;
  readonly tenant: Tenant;
  readonly apiUser: { readonly id: number; readonly name: string };
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** To within a minute. */
  readonly lastUsedAt: Date | null;
}

const listOf = async (database: Pick<Database, 'asOwner'>, tenant: Tenant): Promise<readonly TokenEntry[]> => {
  const { tokens, users } = await database.asOwner(tenant.id, async ({ kysely }) => ({
    tokens: await kysely
      .selectFrom('tokens')
      .select(['jti', 'api_user_id', 'issued_at', 'expires_at', 'revoked_at', 'last_used_at'])
      .orderBy('issued_at')
      .orderBy('jti')
      .execute(),
    users: await kysely.selectFrom('api_users').select(['id', 'name']).execute(),
  }));
  const names = new Map(users.map(({ id, name }) => [Number(id), name]));
  return tokens.map(row => ({
    tokenId: row.jti,
    tenant,
    apiUser: { id: Number(row.api_user_id), name: names.get(Number(row.api_user_id)) ?? '' },
    issuedAt: new Date(row.issued_at),
    expiresAt: new Date(row.expires_at),
    revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  }));
};

/** The tokens of all tenants, or of one, oldest first, read tenant by tenant (row security). */
export const listTokens = async (
  database: Pick<Database, 'system' | 'asOwner'>,
  only: Tenant | null = null,
): Promise<readonly TokenEntry[]> => {
  const tenants = only ? [only] : (await listTenants(database)).map(({ tenant }) => tenant);
  const entries: TokenEntry[] = [];
  for (const tenant of tenants) entries.push(...(await listOf(database, tenant)));
  return entries;
};

/** Revokes a token of any tenant, or of one; null: none. An earlier time of revocation stays. */
export const revokeToken = async (
  database: Pick<Database, 'system' | 'asOwner'>,
  tokenId: string,
  only: Tenant | null = null,
): Promise<{ readonly tenant: Tenant; readonly revokedAt: Date } | null> => {
  for (const tenant of only ? [only] : (await listTenants(database)).map(({ tenant }) => tenant)) {
    const row = await database.asOwner(tenant.id, async ({ kysely }) => {
      await kysely
        .updateTable('tokens')
        .set({ revoked_at: new Date().toISOString() })
        .where('jti', '=', tokenId)
        .where('revoked_at', 'is', null)
        .execute();
      return kysely.selectFrom('tokens').select('revoked_at').where('jti', '=', tokenId).executeTakeFirst();
    });
    if (row?.revoked_at) return { tenant, revokedAt: new Date(row.revoked_at) };
  }
  return null;
};
