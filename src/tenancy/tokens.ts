import { randomUUID } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { ApiError } from '../core/errors.ts';
import type { Principal, Tenant } from '../core/principal.ts';
import { CountedCache } from '../core/tally.ts';
import type { Database } from '../db/open.ts';
import { readCaller, type Standing, type TokenNames } from './caller.ts';
import { type Claims, readClaims } from './claims.ts';
import type { KeySet } from './keys.ts';
import { tokenError } from './token-error.ts';

/** A new token. It is not stored: a lost token must be replaced by another. */
export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** A token whose standing is read together with the tenant that it is presented to. */
export interface Presented extends TokenNames {
  /** Takes what was read: `verifyToken` then asks nothing. */
  learn(tenant: Tenant, standing: Standing): void;
}

/** Issues and verifies tokens. */
export interface Tokens {
  /**
   * The principal that a token of this tenant authenticates.
   * @throws ApiError invalid_token, token_expired, token_revoked (also if the API user is inactive), tenant_not_found (its slug has just changed)
   */
  verifyToken(tenant: Tenant, token: string): Promise<Principal>;
  /** Returns a token whose tenant is not known yet; null if it is valid for no tenant. */
  present(token: string): Presented | null;
  /** Issues a token for an API user, valid for `seconds`. */
  issueToken(tenant: Tenant, apiUserId: number, seconds: number): Promise<IssuedToken>;
}

/** Seconds for which a token is valid by default: one year. */
export const defaultLifetime = 31_536_000;

/** What a token may do, or null if it is unknown. */
type TokenState = (Omit<Principal['apiUser'], 'id'> & { readonly revoked: boolean }) | null;

const stateOf = ({ user_name: name, read_only: readOnly, revoked, scopes, hidden }: Standing): TokenState => {
  if (name === null || readOnly === null || revoked === null || scopes === null || hidden === null) return null;
  return { name, readOnly, revoked, scopes, hidden };
};

/**
 * Milliseconds for which the state of a token and its API user, and the tenant of a host, are cached; below a second, so that changes take
 * effect within one. The same for both: one statement reads them together.
 */
export const cacheTime = 900;

/**
 * Creates the service that issues and verifies tokens.
 * @param options `clock` (milliseconds since 1970) replaces the system clock
 */
export const createTokens = (options: {
  readonly database: Pick<Database, 'ask' | 'asOwner'>;
  readonly keys: KeySet;
  readonly issuer: string;
  readonly clock?: () => number;
}): Tokens => {
  const { database, keys, issuer, clock } = options;
  const now = clock ?? Date.now;
  const perf = clock ? { now: clock } : performance;
  const states = new CountedCache<string, Promise<TokenState>>('tokens', {
    max: 10_000,
    ttl: cacheTime,
    ttlResolution: 0,
    perf,
  });

  const keyOf = (tenant: Tenant, { apiUserId, tokenId }: TokenNames): string => `${tenant.id} ${apiUserId} ${tokenId}`;

  const claimsOf = (token: string, audience: string | null): Claims =>
    readClaims(token, { keys, issuer, audience }, Math.floor(now() / 1000));

  const readState = async ({ id, slug }: Tenant, names: TokenNames): Promise<TokenState> => {
    const row = await readCaller(database, { slug, host: null }, names, id);
    // The tenant of the request has another slug by now.
    if (row?.id !== id) throw new ApiError('tenant_not_found');
    return stateOf(row);
  };

  /** Concurrent requests share one query; failures are not cached. */
  const findState = (tenant: Tenant, names: TokenNames): Promise<TokenState> => {
    const key = keyOf(tenant, names);
    const cached = states.get(key);
    if (cached) return cached;
    const pending = readState(tenant, names);
    states.set(key, pending);
    pending.catch(() => states.delete(key));
    return pending;
  };

  return {
    verifyToken: async (tenant, token) => {
      const claims = claimsOf(token, tenant.slug);
      const state = await findState(tenant, claims);
      if (!state) throw tokenError('invalid_token');
      const { revoked, ...apiUser } = state;
      if (revoked) throw tokenError('token_revoked');
      return { tenant, apiUser: { id: claims.apiUserId, ...apiUser }, tokenId: claims.tokenId };
    },

    present: token => {
      // From before the statement: what it reads is as old as that.
      const start = perf.now();
      try {
        const claims = claimsOf(token, null);
        const { tokenId, apiUserId } = claims;
        const learn: Presented['learn'] = (tenant, standing) => {
          const key = keyOf(tenant, claims);
          // What another statement has found may be newer.
          if (!states.has(key)) states.set(key, Promise.resolve(stateOf(standing)), { start });
        };
        return { tokenId, apiUserId, learn };
      } catch {
        // `verifyToken` says why.
        return null;
      }
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
