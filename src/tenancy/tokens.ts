import { randomUUID } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { Principal, Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { readClaims } from './claims.ts';
import type { KeySet } from './keys.ts';
import { tokenError } from './token-error.ts';

/** A new token. Its text is kept nowhere: who loses it needs another. */
export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

export interface Tokens {
  /**
   * Who asks, by a token for this tenant.
   * @throws ApiError invalid_token, token_expired, token_revoked (also when the API user has been switched off)
   */
  verifyToken(tenant: Tenant, token: string): Promise<Principal>;
  /** Makes a token of an API user, valid for so many seconds. */
  issueToken(tenant: Tenant, apiUserId: number, seconds: number): Promise<IssuedToken>;
}

/** A year. */
export const defaultLifetime = 31_536_000;

/** What the database says of a token: null if it knows none such. */
type Standing = { readonly name: string; readonly readOnly: boolean; readonly revoked: boolean } | null;

/** Milliseconds for which what the database said counts: revocation takes effect within a second on every instance. */
const memory = 900;

/** Signing and checking of tokens. `clock` (milliseconds since 1970) stands in for the machine's clocks. */
export const createTokens = (options: {
  readonly database: Pick<Database, 'forTenant' | 'asOwner'>;
  readonly keys: KeySet;
  readonly issuer: string;
  readonly clock?: () => number;
}): Tokens => {
  const { database, keys, issuer, clock } = options;
  const now = clock ?? Date.now;
  const standings = new LRUCache<string, Promise<Standing>>({
    max: 10_000,
    ttl: memory,
    ttlResolution: 0,
    ...(clock && { perf: { now: clock } }),
  });

  const readStanding = async (tenant: Tenant, tokenId: string, apiUserId: number): Promise<Standing> => {
    const [result] = await database.forTenant(tenant).read({
      name: 'token_standing',
      text: `select u.name, u.read_only, t.revoked_at is not null or not u.active
        from tokens t join api_users u on u.tenant_id = t.tenant_id and u.id = t.api_user_id
        where t.tenant_id = $1 and u.tenant_id = $1 and t.jti = $2 and t.api_user_id = $3`,
      values: [String(tenant.id), tokenId, String(apiUserId)],
    });
    const row = result?.rows[0];
    return row ? { name: row[0] ?? '', readOnly: row[1] === 't', revoked: row[2] === 't' } : null;
  };

  /** Requests that come together share one query; a failed one is not remembered. */
  const findStanding = (tenant: Tenant, tokenId: string, apiUserId: number): Promise<Standing> => {
    const key = `${tenant.id} ${apiUserId} ${tokenId}`;
    const known = standings.get(key);
    if (known) return known;
    const asked = readStanding(tenant, tokenId, apiUserId);
    standings.set(key, asked);
    asked.catch(() => standings.delete(key));
    return asked;
  };

  return {
    verifyToken: async (tenant, token) => {
      const { apiUserId, tokenId } = readClaims(
        token,
        { keys, issuer, audience: tenant.slug },
        Math.floor(now() / 1000),
      );
      const standing = await findStanding(tenant, tokenId, apiUserId);
      if (!standing) throw tokenError('invalid_token');
      if (standing.revoked) throw tokenError('token_revoked');
      return { tenant, apiUser: { id: apiUserId, name: standing.name, readOnly: standing.readOnly }, tokenId };
    },

    issueToken: async (tenant, apiUserId, seconds) => {
      const tokenId = randomUUID();
      const iat = Math.floor(now() / 1000);
      const exp = iat + seconds;
      const issuedAt = new Date(iat * 1000);
      const expiresAt = new Date(exp * 1000);
      const token = jsonwebtoken.sign({ iat, exp }, keys.signing.key, {
        algorithm: keys.algorithm,
        keyid: keys.signing.kid,
        issuer,
        audience: tenant.slug,
        subject: String(apiUserId),
        jwtid: tokenId,
      });
      await database.asOwner(tenant.id, ({ kysely }) =>
        kysely
          .insertInto('tokens')
          .values({
            jti: tokenId,
            api_user_id: apiUserId,
            issued_at: issuedAt.toISOString(),
            expires_at: expiresAt.toISOString(),
          })
          .execute(),
      );
      return { token, tokenId, issuedAt, expiresAt };
    },
  };
};
