import { randomUUID } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { type Claims, readClaims } from './claims.ts';
import type { KeySet } from './keys.ts';

/** A new token. It is not stored: a lost token must be replaced by another. */
export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Issues tokens and reads their claims. */
export interface Tokens {
  /**
   * Returns the claims of a token with a valid signature.
   * @param audience the slug of the tenant it must be for; null: the tenant is not known yet, and `authenticate` compares it
   * @throws ApiError invalid_token, token_expired
   */
  read(token: string, audience: string | null): Claims;
  /** Issues a token for an API user, valid for `seconds`. */
  issueToken(tenant: Tenant, apiUserId: number, seconds: number): Promise<IssuedToken>;
}

/** Seconds for which a token is valid by default: one year. See docs/decisions.md, "Tokens". */
export const defaultLifetime = 31_536_000;

/**
 * Creates the service that issues and reads tokens.
 * @param options `clock` (milliseconds since 1970) replaces the system clock
 */
export const createTokens = (options: {
  readonly database: Pick<Database, 'asOwner'>;
  readonly keys: KeySet;
  readonly issuer: string;
  readonly clock?: () => number;
}): Tokens => {
  const { database, keys, issuer, clock: now = Date.now } = options;
  return {
    read: (token, audience) => readClaims(token, { keys, issuer, audience }, Math.floor(now() / 1000)),

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
