import { randomUUID } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { Tenant } from '../core/principal.ts';
import type { Database } from '../db/open.ts';
import { type KeySet, kidPattern } from './keys.ts';
import { tokenError } from './token-error.ts';

/** A new token. It is not stored: a lost token must be replaced by another. */
export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  readonly expiresAt: Date;
}

/** The claims of a token with a valid signature. Times in seconds since 1970. */
export interface Claims {
  readonly apiUserId: number;
  readonly tokenId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
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
            issued_at: new Date(iat * 1000).toISOString(),
            expires_at: expiresAt.toISOString(),
          })
          .execute(),
      );
      return { token, tokenId, expiresAt };
    },
  };
};

/** The keys, issuer and audience that a token must match. */
export interface Expectation {
  readonly keys: KeySet;
  readonly issuer: string;
  /** The tenant's slug; null: that of any tenant. */
  readonly audience: string | null;
}

/** Tolerated clock difference in seconds, in either direction. */
const leeway = 30;
const maxBytes = 4096;
const shape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

const invalid = () => tokenError('invalid_token');

/** Decodes canonical unpadded base64url: each token has exactly one string form. */
const decode = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw invalid();
  return bytes;
};

type DecodedPart = Readonly<Record<string, unknown>>;

const readObject = (text: string): DecodedPart => {
  let value: unknown;
  try {
    value = JSON.parse(decode(text).toString('utf8'));
  } catch {
    throw invalid();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  return value as DecodedPart;
};

/** The key with the header's `kid`; keys in or linked from the header are ignored. */
const findKey = (header: DecodedPart, keys: KeySet) => {
  const { alg, typ, kid } = header;
  if (alg !== keys.algorithm || 'crit' in header) throw invalid();
  if (typ !== undefined && (typeof typ !== 'string' || typ.toUpperCase() !== 'JWT')) throw invalid();
  if (typeof kid !== 'string' || !kidPattern.test(kid)) throw invalid();
  const key = keys.verifying.get(kid);
  if (!key) throw invalid();
  return key;
};

/** Whether a value is a NumericDate without fractions, in the range of Date. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 8_640_000_000_000;

/** Maximum number of tokens whose signatures are not verified again, for each key set. */
const maxGenuine = 10_000;
/** The payloads of tokens with valid signatures, which stay valid as long as their keys are the same. */
const genuine = new WeakMap<KeySet, LRUCache<string, DecodedPart>>();

/** Returns the payload of a token with valid format and signature. @throws ApiError invalid_token */
const readPayload = (token: string, keys: KeySet): DecodedPart => {
  if (token.length > maxBytes || !shape.test(token)) throw invalid();
  const [header = '', payload = '', signature = ''] = token.split('.');
  const key = findKey(readObject(header), keys);
  const claims = readObject(payload);
  decode(signature);
  try {
    jsonwebtoken.verify(token, key, { algorithms: [keys.algorithm], ignoreExpiration: true, ignoreNotBefore: true });
  } catch {
    throw invalid();
  }
  return claims;
};

/**
 * Verifies a token's format, its signature (once for each token), claims and times.
 * jsonwebtoken alone is too lenient: it accepts tokens without expiry, with critical headers, or issued in the future.
 * See docs/decisions.md, "Tokens".
 * @param now seconds since 1970
 * @throws ApiError invalid_token (the same for every defect), token_expired
 */
export const readClaims = (token: string, { keys, issuer, audience }: Expectation, now: number): Claims => {
  const known = genuine.get(keys) ?? new LRUCache({ max: maxGenuine });
  genuine.set(keys, known);
  const payload = known.get(token) ?? readPayload(token, keys);
  known.set(token, payload);
  const { iss, aud, sub, jti, iat, exp, nbf } = payload;
  if (iss !== issuer || (audience !== null && aud !== audience)) throw invalid();
  if (typeof sub !== 'string' || !/^[1-9]\d{0,15}$/.test(sub) || !Number.isSafeInteger(Number(sub))) throw invalid();
  if (typeof jti !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(jti)) throw invalid();
  if (!isTime(iat) || !isTime(exp) || exp <= iat || iat > now + leeway) throw invalid();
  if (nbf !== undefined && !(isTime(nbf) && nbf <= now + leeway)) throw invalid();
  if (exp <= now - leeway) throw tokenError('token_expired');
  return { apiUserId: Number(sub), tokenId: jti, issuedAt: iat, expiresAt: exp };
};
