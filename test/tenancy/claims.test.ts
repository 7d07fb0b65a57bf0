import assert from 'node:assert/strict';
import {
  createHmac,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { describe, test } from 'node:test';
import { ApiError } from '../../src/core/errors.ts';
import { type Algorithm, generateKeySet, type KeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { type Expectation, readClaims } from '../../src/tenancy/tokens.ts';

const now = 1_800_000_000;
const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
const expectation: Expectation = { keys, issuer: 'staffing', audience: 'demo' };
const header = { alg: 'HS256', typ: 'JWT', kid: keys.signing.kid };
const payload = { iss: 'staffing', aud: 'demo', sub: '12', jti: 'a1', iat: now - 60, exp: now + 3600 };

const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const hmac = (text: string, key: KeyObject, hash = 'sha256'): string =>
  createHmac(hash, key).update(text).digest('base64url');

/** A token with any header and payload, signed with the right key unless another is given. */
const forge = (head: unknown, body: unknown, key: KeyObject = keys.signing.key, hash?: string): string => {
  const text = `${base64url(head)}.${base64url(body)}`;
  return `${text}.${hmac(text, key, hash)}`;
};

const good = forge(header, payload);
const [goodHeader = '', goodPayload = '', goodSignature = ''] = good.split('.');
const unsigned = (alg: unknown) => `${base64url({ ...header, alg })}.${goodPayload}.`;
const without = (claim: keyof typeof payload) => {
  const { [claim]: _left, ...rest } = payload;
  return forge(header, rest);
};
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
const foreignSecret = createSecretKey(randomBytes(32));
const publicPem = createSecretKey(Buffer.from(foreign.publicKey.export({ type: 'spki', format: 'pem' })));
const rs256 = () => {
  const text = `${base64url({ ...header, alg: 'RS256' })}.${goodPayload}`;
  return `${text}.${sign('sha256', Buffer.from(text), foreign.privateKey).toString('base64url')}`;
};
/** The same signature in a non-canonical encoding: with an unused bit of base64url set. */
const respelt = (signature: string) =>
  signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1);

const forged: [label: string, token: string, code?: string][] = [
  ['nothing', ''],
  ['a word', 'token'],
  ['two parts', `${goodHeader}.${goodPayload}`],
  ['four parts', `${good}.${goodSignature}`],
  ['a blank at its end', `${good} `],
  ['a line break', `${good}\n`],
  ['alg none, unsigned', unsigned('none')],
  ['alg None, unsigned', unsigned('None')],
  ['alg nOnE, unsigned', unsigned('nOnE')],
  ['an empty alg', unsigned('')],
  ['alg none, signed', forge({ ...header, alg: 'none' }, payload)],
  ['no alg', forge({ typ: 'JWT', kid: header.kid }, payload)],
  ['alg as a list', forge({ ...header, alg: ['HS256'] }, payload)],
  ['alg HS512', forge({ ...header, alg: 'HS512' }, payload)],
  ['alg HS512, signed so', forge({ ...header, alg: 'HS512' }, payload, keys.signing.key, 'sha512')],
  ['alg RS256 with a key of its own', rs256()],
  ['an RSA public key as the secret', forge(header, payload, publicPem)],
  ['alg ES256', forge({ ...header, alg: 'ES256' }, payload)],
  ['another type', forge({ ...header, typ: 'JWE' }, payload)],
  ['another secret', forge(header, payload, foreignSecret)],
  ['an empty secret', forge(header, payload, createSecretKey(Buffer.alloc(0)))],
  ['no signature', `${goodHeader}.${goodPayload}.`],
  ['a signature cut short', good.slice(0, -4)],
  ['a padded signature', `${good}=`],
  ['a signature spelt in another way', `${goodHeader}.${goodPayload}.${respelt(goodSignature)}`],
  ['a changed payload', `${goodHeader}.${base64url({ ...payload, sub: '13' })}.${goodSignature}`],
  ['no kid', forge({ alg: 'HS256', typ: 'JWT' }, payload)],
  ['an unknown kid', forge({ ...header, kid: 'other' }, payload)],
  ['kid as a path', forge({ ...header, kid: '../../dev/null' }, payload, createSecretKey(Buffer.alloc(0)))],
  ['kid as SQL', forge({ ...header, kid: "' or 1=1 --" }, payload)],
  ['kid as an object', forge({ ...header, kid: { $ne: null } }, payload)],
  ['kid of the object prototype', forge({ ...header, kid: '__proto__' }, payload)],
  ['a kid of 10 kB', forge({ ...header, kid: 'k'.repeat(10_240) }, payload)],
  [
    'a jwk in the header',
    forge({ ...header, kid: 'own', jwk: foreignSecret.export({ format: 'jwk' }) }, payload, foreignSecret),
  ],
  ['a jku in the header', forge({ ...header, kid: 'own', jku: 'https://keys.example/set' }, payload, foreignSecret)],
  ['crit', forge({ ...header, crit: ['exp'] }, payload)],
  ['an empty crit', forge({ ...header, crit: [] }, payload)],
  ['a header that is a list', forge([header], payload)],
  ['a header that is not JSON', forge('{alg:HS256}', payload)],
  ['a payload that is a string', forge(header, '"demo"')],
  ['a payload that is a list', forge(header, [payload])],
  ['a payload that is null', forge(header, 'null')],
  ['a payload that is not JSON', forge(header, '{')],
  ['no iss', without('iss')],
  ['another iss', forge(header, { ...payload, iss: 'other' })],
  ['iss as a list', forge(header, { ...payload, iss: ['staffing'] })],
  ['no aud', without('aud')],
  ['aud of another tenant', forge(header, { ...payload, aud: 'acme' })],
  ['aud as a list', forge(header, { ...payload, aud: ['demo', 'acme'] })],
  ['no sub', without('sub')],
  ['sub as a number', forge(header, { ...payload, sub: 12 })],
  ['sub that is no id', forge(header, { ...payload, sub: '12 or 1=1' })],
  ['sub past every id', forge(header, { ...payload, sub: '9'.repeat(16) })],
  ['no jti', without('jti')],
  ['jti as an object', forge(header, { ...payload, jti: {} })],
  ['an empty jti', forge(header, { ...payload, jti: '' })],
  ['no iat', without('iat')],
  ['iat as a string', forge(header, { ...payload, iat: String(payload.iat) })],
  ['iat in the future', forge(header, { ...payload, iat: now + 31 })],
  ['no exp', without('exp')],
  ['exp as a string', forge(header, { ...payload, exp: String(payload.exp) })],
  ['exp with a fraction', forge(header, { ...payload, exp: now + 3600.5 })],
  ['exp past every date', forge(header, { ...payload, exp: 1e300 })],
  ['exp before iat', forge(header, { ...payload, iat: now + 20, exp: now + 10 })],
  ['nbf in the future', forge(header, { ...payload, nbf: now + 31 })],
  ['nbf as a string', forge(header, { ...payload, nbf: 'now' })],
  ['more than 4 kB', forge(header, { ...payload, padding: 'x'.repeat(4096) })],
  ['an exp in the past', forge(header, { ...payload, exp: now - 31 }), 'token_expired'],
  ['an exp in the past, of another tenant', forge(header, { ...payload, exp: now - 31, aud: 'acme' })],
  ['an exp in the past, of another secret', forge(header, { ...payload, exp: now - 31 }, foreignSecret)],
];

const refusal = (token: string): ApiError => {
  try {
    readClaims(token, expectation, now);
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  assert.fail('the token was taken');
};

describe('a forged token is rejected', () => {
  for (const [label, token, code = 'invalid_token'] of forged) {
    test(label, () => {
      const error = refusal(token);
      assert.equal(error.code, code);
      assert.equal(error.status, 401);
      assert.equal(error.headers['WWW-Authenticate'], 'Bearer');
    });
  }

  test('with the same message, whatever is wrong with it', () => {
    const words = forged.filter(([, , code]) => !code).map(([, token]) => refusal(token).message);
    assert.equal(new Set(words).size, 1);
  });
});

describe('a valid token is accepted', () => {
  test('with its claims', () => {
    assert.deepEqual(readClaims(good, expectation, now), {
      apiUserId: 12,
      tokenId: 'a1',
      issuedAt: now - 60,
      expiresAt: now + 3600,
    });
  });

  const close: [label: string, claims: object][] = [
    ['issued 30 s ahead of this clock', { iat: now + 30 }],
    ['not valid before 30 s from now', { nbf: now + 30 }],
    ['expired for less than 30 s', { exp: now - 29 }],
  ];
  for (const [label, claims] of close) {
    test(label, () =>
      assert.equal(readClaims(forge(header, { ...payload, ...claims }), expectation, now).apiUserId, 12),
    );
  }

  test('only as long as its claims hold, however often it has been verified', () => {
    for (let run = 0; run < 2; run++) {
      assert.equal(readClaims(good, expectation, now).apiUserId, 12);
      assert.throws(() => readClaims(good, expectation, now + 3631), { code: 'token_expired' });
      assert.throws(() => readClaims(good, expectation, now - 91), { code: 'invalid_token' });
      assert.throws(() => readClaims(good, { ...expectation, audience: 'acme' }, now), { code: 'invalid_token' });
      assert.throws(() => readClaims(good, { ...expectation, issuer: 'other' }, now), { code: 'invalid_token' });
    }
    assert.throws(() => readClaims(`${good.slice(0, -4)}AAAA`, expectation, now), { code: 'invalid_token' });
  });

  test('whatever other keys its header offers', () => {
    const offering = { ...header, jwk: { kty: 'oct', k: 'AA' }, x5u: 'https://keys.example/cert' };
    assert.equal(readClaims(forge(offering, payload), expectation, now).apiUserId, 12);
  });
});

describe('keys', () => {
  const join = (...texts: string[]) => JSON.stringify({ keys: texts.flatMap(text => JSON.parse(text).keys) });
  const signWith = (set: KeySet, algorithm: Algorithm): string => {
    const text = `${base64url({ alg: algorithm, kid: set.signing.kid })}.${goodPayload}`;
    if (algorithm === 'HS256') return `${text}.${hmac(text, set.signing.key)}`;
    const signature = sign('sha256', Buffer.from(text), { key: set.signing.key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };

  for (const algorithm of ['HS256', 'RS256', 'ES256'] as const) {
    test(`of ${algorithm} are rotated: the old one verifies until it is removed`, () => {
      const oldText = generateKeySet(algorithm);
      const newText = generateKeySet(algorithm);
      const token = signWith(parseKeySet(oldText, algorithm), algorithm);
      const both = parseKeySet(join(newText, oldText), algorithm);
      const only = parseKeySet(newText, algorithm);
      assert.equal(both.signing.kid, only.signing.kid);
      assert.equal(readClaims(token, { ...expectation, keys: both }, now).apiUserId, 12);
      assert.equal(readClaims(signWith(only, algorithm), { ...expectation, keys: both }, now).apiUserId, 12);
      assert.throws(() => readClaims(token, { ...expectation, keys: only }, now), { code: 'invalid_token' });
    });
  }

  test('of ES256 verify a signature in one spelling only', () => {
    const set = parseKeySet(generateKeySet('ES256'), 'ES256');
    const token = signWith(set, 'ES256');
    assert.equal(readClaims(token, { ...expectation, keys: set }, now).apiUserId, 12);
    assert.throws(() => readClaims(respelt(token), { ...expectation, keys: set }, now), { code: 'invalid_token' });
  });

  test('of RS256 are not accepted as secrets of HS256', () => {
    const set = parseKeySet(generateKeySet('RS256'), 'RS256');
    const pem = createPublicKey(set.signing.key).export({ type: 'spki', format: 'pem' });
    const token = forge({ alg: 'HS256', kid: set.signing.kid }, payload, createSecretKey(Buffer.from(pem)));
    assert.throws(() => readClaims(token, { ...expectation, keys: set }, now), { code: 'invalid_token' });
  });
});
