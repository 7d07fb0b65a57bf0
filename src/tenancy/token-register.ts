import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { dateOf } from './administrators.ts';
import { listTenants } from './directory.ts';

/** The stored data of a token; the token itself is not stored. */
export type TokenEntry = Awaited<ReturnType<typeof listOf>>[number];

const listOf = async (database: Pick<Database, 'asOwner'>, tenant: Tenant) => {
  const rows = await database.asOwner(tenant.id, ({ kysely }) =>
    kysely
      .selectFrom('tokens as t')
      .innerJoin('api_users as u', 'u.id', 't.api_user_id')
      .select(['t.jti', 'u.id', 'u.name', 't.issued_at', 't.expires_at', 't.revoked_at', 't.last_used_at'])
      .orderBy('t.issued_at')
      .orderBy('t.jti')
      .execute(),
  );
  return rows.map(({ id, name, ...row }) => ({
    tokenId: row.jti,
    tenant,
    apiUser: { id, name },
    issuedAt: new Date(row.issued_at),
    expiresAt: new Date(row.expires_at),
    revokedAt: dateOf(row.revoked_at),
    /** To within a minute. */
    lastUsedAt: dateOf(row.last_used_at),
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
