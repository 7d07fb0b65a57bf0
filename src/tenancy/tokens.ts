import { randomUUID } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import type { Principal, Tenant } from '../core/principal.ts';
import { CountedCache } from '../core/tally.ts';
import type { Database } from '../db/open.ts';
import { readClaims } from './claims.ts';
import type { KeySet } from './keys.ts';
import { tokenError } from './token-error.ts';

/** A new token. It is not stored: a lost token must be replaced by another. */
export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Issues and verifies tokens. */
export interface Tokens {
  /**
   * The principal that a token of this tenant authenticates.
   * @throws ApiError invalid_token, token_expired, token_revoked (also if the API user is inactive)
   */
  verifyToken(tenant: Tenant, token: string): Promise<Principal>;
  /** Issues a token for an API user, valid for `seconds`. */
  issueToken(tenant: Tenant, apiUserId: number, seconds: number): Promise<IssuedToken>;
}

/** Seconds for which a token is valid by default: one year. */
export const defaultLifetime = 31_536_000;

/** The stored state of a token; null if it is unknown. */
type TokenState = (Omit<Principal['apiUser'], 'id'> & { readonly revoked: boolean }) | null;

/** Milliseconds for which the state of a token and its API user is cached; below a second, so that changes take effect within one. */
const cacheTime = 900;

/**
 * Creates the service that issues and verifies tokens.
 * @param options `clock` (milliseconds since 1970) replaces the system clock
 */
export const createTokens = (options: {
  readonly database: Pick<Database, 'forTenant' | 'asOwner'>;
  readonly keys: KeySet;
  readonly issuer: string;
  readonly clock?: () => number;
}): Tokens => {
  const { database, keys, issuer, clock } = options;
  const now = clock ?? Date.now;
  const states = new CountedCache<string, Promise<TokenState>>('tokens', {
    max: 10_000,
    ttl: cacheTime,
    ttlResolution: 0,
    ...(clock && { perf: { now: clock } }),
  });

  const readState = async (tenant: Tenant, tokenId: string, apiUserId: number): Promise<TokenState> => {
    const [result] = await database.forTenant(tenant).read({
      name: 'token_standing',
      text: `select u.name, u.read_only, t.revoked_at is not null or not u.active, u.scopes, u.hidden
        from tokens t join api_users u on u.tenant_id = t.tenant_id and u.id = t.api_user_id
        where t.tenant_id = $1 and u.tenant_id = $1 and t.jti = $2 and t.api_user_id = $3`,
      values: [String(tenant.id), tokenId, String(apiUserId)],
    });
    const row = result?.rows[0];
    if (!row) return null;
    const [name, readOnly, revoked, scopes, hidden] = row;
    return {
      name: name ?? '',
      readOnly: readOnly === 't',
      revoked: revoked === 't',
      scopes: JSON.parse(scopes ?? '[]'),
      hidden: JSON.parse(hidden ?? '[]'),
    };
  };

  /** Concurrent requests share one query; failures are not cached. */
  const findState = (tenant: Tenant, tokenId: string, apiUserId: number): Promise<TokenState> => {
    const key = `${tenant.id} ${apiUserId} ${tokenId}`;
    const cached = states.get(key);
    if (cached) return cached;
    const pending = readState(tenant, tokenId, apiUserId);
    states.set(key, pending);
    pending.catch(() => states.delete(key));
    return pending;
  };

  return {
    verifyToken: async (tenant, token) => {
      const { apiUserId, tokenId } = readClaims(
        token,
        { keys, issuer, audience: tenant.slug },
        Math.floor(now() / 1000),
      );
      const state = await findState(tenant, tokenId, apiUserId);
      if (!state) throw tokenError('invalid_token');
      const { revoked, ...apiUser } = state;
      if (revoked) throw tokenError('token_revoked');
      return { tenant, apiUser: { id: apiUserId, ...apiUser }, tokenId };
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
