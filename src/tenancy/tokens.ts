import { randomUUID } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { ApiError } from '../core/errors.ts';
import type { Principal, Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { type Caller, readCaller, type TokenNames } from './caller.ts';
import { type Claims, readClaims } from './claims.ts';
import type { KeySet } from './keys.ts';
import { LookUps, type Remembered } from './look-ups.ts';
import { type Presumption, presumptionOf, type Trust } from './presumption.ts';
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
  learn(tenant: Tenant, caller: Caller): void;
}

/** Issues and verifies tokens. */
export interface Tokens {
  /**
   * The principal that a token of this tenant authenticates.
   * @param trust a presumption takes a good standing that was read before, however long ago; default: null
   * @throws ApiError invalid_token, token_expired, token_revoked (also if the API user is inactive), tenant_not_found (its slug has just changed)
   */
  verifyToken(tenant: Tenant, token: string, trust?: Trust): Promise<Principal>;
  /** Returns a token whose tenant is not known yet; null if it is valid for no tenant. */
  present(token: string): Presented | null;
  /** Issues a token for an API user, valid for `seconds`. */
  issueToken(tenant: Tenant, apiUserId: number, seconds: number): Promise<IssuedToken>;
}

/** Seconds for which a token is valid by default: one year. See docs/decisions.md, "Tokens". */
export const defaultLifetime = 31_536_000;

/** What a token may do. */
type TokenState = Omit<Principal['apiUser'], 'id'> & {
  readonly revoked: boolean;
  /** See CallerTexts. */
  readonly text: string;
};

const stateOf = (caller: Caller): TokenState | null => {
  const { user_name: name, read_only: readOnly, revoked, scopes, hidden, texts } = caller;
  if (name === null || readOnly === null || revoked === null || scopes === null || hidden === null) return null;
  return { name, readOnly, revoked, scopes, hidden, text: texts.standing };
};

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
  const states = new LookUps<TokenState>('tokens', clock);

  const keyOf = (tenant: Tenant, { apiUserId, tokenId }: TokenNames): string => `${tenant.id} ${apiUserId} ${tokenId}`;

  const claimsOf = (token: string, audience: string | null): Claims =>
    readClaims(token, { keys, issuer, audience }, Math.floor(now() / 1000));

  const readState = async ({ id, slug }: Tenant, names: TokenNames): Promise<TokenState | null> => {
    const row = await readCaller(database, { slug, host: null }, names, id);
    // The tenant of the request has another slug by now.
    if (row?.id !== id) throw new ApiError('tenant_not_found');
    return stateOf(row);
  };

  /** Takes a good standing for granted. */
  const assuming = (tenant: Tenant, token: TokenNames, presumption: Presumption) => (last: Remembered<TokenState>) => {
    if (last.found.revoked) return false;
    presumption.assume({ last, part: 'standing', address: { slug: tenant.slug, host: null }, token });
    return true;
  };

  return {
    verifyToken: async (tenant, token, trust = null) => {
      const presumption = presumptionOf(trust);
      const claims = claimsOf(token, tenant.slug);
      const assume = presumption && assuming(tenant, claims, presumption);
      const state = await states.find(keyOf(tenant, claims), () => readState(tenant, claims), assume);
      if (!state) throw tokenError('invalid_token');
      const { revoked, text: _, ...apiUser } = state;
      if (revoked) throw tokenError('token_revoked');
      return { tenant, apiUser: { id: claims.apiUserId, ...apiUser }, tokenId: claims.tokenId };
    },

    present: token => {
      // From before the statement: what it reads is as old as that.
      const start = states.now();
      try {
        const claims = claimsOf(token, null);
        const { tokenId, apiUserId } = claims;
        const learn: Presented['learn'] = (tenant, caller) =>
          states.learn(keyOf(tenant, claims), stateOf(caller), start);
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
