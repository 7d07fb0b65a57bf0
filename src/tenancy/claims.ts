import jsonwebtoken from 'jsonwebtoken';
import { type KeySet, kidPattern } from './keys.ts';
import { tokenError } from './token-error.ts';

/** What a token says, once its signature has been found good. Times in seconds since 1970. */
export interface Claims {
  readonly apiUserId: number;
  readonly tokenId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** What a token must fit. */
export interface Expectation {
  readonly keys: KeySet;
  readonly issuer: string;
  /** The tenant's slug. */
  readonly audience: string;
}

/** Seconds by which clocks may differ, either way. */
export const leeway = 30;
const maxBytes = 4096;
const shape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

const invalid = () => tokenError('invalid_token');

/** Bytes of unpadded base64url; several texts that decode to the same bytes are not taken: a token has one text. */
const decode = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw invalid();
  return bytes;
};

const readObject = (text: string): Readonly<Record<string, unknown>> => {
  let value: unknown;
  try {
    value = JSON.parse(decode(text).toString('utf8'));
  } catch {
    throw invalid();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  return value as Readonly<Record<string, unknown>>;
};

/** The key that the header's `kid` names; whatever else the header offers (jwk, jku, x5u) is ignored. */
const findKey = (header: Readonly<Record<string, unknown>>, keys: KeySet) => {
  const { alg, typ, kid } = header;
  if (alg !== keys.algorithm || 'crit' in header) throw invalid();
  if (typ !== undefined && (typeof typ !== 'string' || typ.toUpperCase() !== 'JWT')) throw invalid();
  if (typeof kid !== 'string' || !kidPattern.test(kid)) throw invalid();
  const key = keys.verifying.get(kid);
  if (!key) throw invalid();
  return key;
};

/** NumericDate without fractions, within what a Date can hold. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 8_640_000_000_000;

const readClaim = (
  payload: Readonly<Record<string, unknown>>,
  { issuer, audience }: Expectation,
  now: number,
): Claims => {
  const { iss, aud, sub, jti, iat, exp, nbf } = payload;
  if (iss !== issuer || aud !== audience) throw invalid();
  if (typeof sub !== 'string' || !/^[1-9]\d{0,15}$/.test(sub) || !Number.isSafeInteger(Number(sub))) throw invalid();
  if (typeof jti !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(jti)) throw invalid();
  if (!isTime(iat) || !isTime(exp) || exp <= iat || iat > now + leeway) throw invalid();
  if (nbf !== undefined && !(isTime(nbf) && nbf <= now + leeway)) throw invalid();
  if (exp <= now - leeway) throw tokenError('token_expired');
  return { apiUserId: Number(sub), tokenId: jti, issuedAt: iat, expiresAt: exp };
};

/**
 * Checks a token's form, signature, claims and times.
 * jsonwebtoken alone is too lenient: it takes tokens without an expiry, with critical headers, issued in the future.
 * @param now seconds since 1970
 * @throws ApiError invalid_token, the same for every flaw, or token_expired
 */
export const readClaims = (token: string, expectation: Expectation, now: number): Claims => {
  if (token.length > maxBytes || !shape.test(token)) throw invalid();
  const [header = '', payload = '', signature = ''] = token.split('.');
  const key = findKey(readObject(header), expectation.keys);
  const claims = readObject(payload);
  decode(signature);
  try {
    jsonwebtoken.verify(token, key, {
      algorithms: [expectation.keys.algorithm],
      issuer: expectation.issuer,
      audience: expectation.audience,
      clockTimestamp: now,
      clockTolerance: leeway,
      // Decided below, for a token that is right in everything else.
      ignoreExpiration: true,
    });
  } catch {
    throw invalid();
  }
  return readClaim(claims, expectation, now);
};
