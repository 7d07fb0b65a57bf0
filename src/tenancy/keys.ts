import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** A signature algorithm of tokens (RFC 7518). */
export type Algorithm = 'HS256' | 'RS256' | 'ES256';

/** The keys that sign and verify tokens, parsed once: parsing takes fifty times as long. */
export interface KeySet {
  readonly algorithm: Algorithm;
  readonly signing: { readonly kid: string; readonly key: KeyObject };
  /** By `kid`. */
  readonly verifying: ReadonlyMap<string, KeyObject>;
}

/** An invalid key set; the message never contains key material. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
}

/** The format of a `kid`; restricted because key ids are logged and used in file names. */
export const kidPattern = /^[A-Za-z0-9_-]{1,64}$/;

const keyTypes = { HS256: 'oct', RS256: 'RSA', ES256: 'EC' } as const;

type Jwk = JsonWebKey & { kid?: unknown; alg?: unknown };

interface Prepared {
  readonly kid: string;
  readonly signing: KeyObject | null;
  readonly verifying: KeyObject;
}

const prepare = (jwk: Jwk, algorithm: Algorithm): Omit<Prepared, 'kid'> => {
  if (algorithm === 'HS256') {
    const secret = Buffer.from(String(jwk.k ?? ''), 'base64url');
    if (secret.length < 32) throw new KeyError('a secret (k) must have at least 32 bytes');
    const key = createSecretKey(secret);
    return { signing: key, verifying: key };
  }
  const key = { key: jwk, format: 'jwk' as const };
  const verifying = createPublicKey(key);
  const { modulusLength, namedCurve } = verifying.asymmetricKeyDetails ?? {};
  if (algorithm === 'RS256' && (modulusLength ?? 0) < 2048)
    throw new KeyError('an RSA key must have at least 2048 bits');
  if (algorithm === 'ES256' && namedCurve !== 'prime256v1') throw new KeyError('an EC key must be on the curve P-256');
  return { signing: jwk.d === undefined ? null : createPrivateKey(key), verifying };
};

const readKey = (jwk: Jwk, algorithm: Algorithm): Prepared => {
  const { kid } = jwk;
  if (typeof kid !== 'string' || !kidPattern.test(kid)) {
    throw new KeyError('each key must have a kid of 1 to 64 letters, digits, _ and -');
  }
  if (jwk.kty !== keyTypes[algorithm]) throw new KeyError(`key ${kid} must have the kty ${keyTypes[algorithm]}`);
  if (jwk.alg !== undefined && jwk.alg !== algorithm) throw new KeyError(`key ${kid} is for another alg`);
  try {
    return { kid, ...prepare(jwk, algorithm) };
  } catch (error) {
    throw new KeyError(
      error instanceof KeyError ? `key ${kid}: ${error.message}` : `key ${kid} is not a valid JSON Web Key`,
    );
  }
};

const readSet = (text: string): readonly Jwk[] => {
  let set: { keys?: unknown } | null;
  try {
    set = JSON.parse(text);
  } catch {
    throw new KeyError('it is not JSON');
  }
  const keys = set?.keys;
  if (!Array.isArray(keys) || keys.length === 0) throw new KeyError('it has no keys');
  if (!keys.every(key => typeof key === 'object' && key !== null)) throw new KeyError('each key must be an object');
  return keys;
};

/**
 * Parses a JSON Web Key Set (RFC 7517).
 * The first key signs, so it must be private; the others only verify older tokens.
 * @throws KeyError if the set or a key is invalid
 */
export const parseKeySet = (text: string, algorithm: Algorithm): KeySet => {
  const keys = readSet(text).map(jwk => readKey(jwk, algorithm));
  const verifying = new Map(keys.map(({ kid, verifying: key }) => [kid, key]));
  if (verifying.size < keys.length) throw new KeyError('two keys have the same kid');
  const [first] = keys;
  if (!first?.signing) throw new KeyError('the first key must be a private key, because it signs tokens');
  return { algorithm, signing: { kid: first.kid, key: first.signing }, verifying };
};

const generate = (algorithm: Algorithm): JsonWebKey => {
  if (algorithm === 'HS256') return { kty: 'oct', k: randomBytes(48).toString('base64url') };
  const { privateKey } =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 3072 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' });
};

/** A JSON Web Key Set with one new key, as JSON; `kid`: the date and random bytes. */
export const generateKeySet = (algorithm: Algorithm): string => {
  const kid = `${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
  return JSON.stringify({ keys: [{ kid, alg: algorithm, use: 'sig', ...generate(algorithm) }] });
};
