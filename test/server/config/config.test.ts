import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../../src/server/config/config.ts';
import { variables } from '../../../src/server/config/variables.ts';
import { generateKeySet } from '../../../src/tenancy/keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
after(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
};

const noPem = file('plain.txt', 'not a certificate');
const pem = file('some.pem', '-----BEGIN CERTIFICATE-----\n');
const secret = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64url');
const set = (...keys: object[]) => JSON.stringify({ keys });
const url = 'postgres://staffing:hunter2@db.example/staffing';

const bad: [label: string, environment: Record<string, string>, wrong: string][] = [
  ['a port that is a word', { PORT: 'https' }, 'PORT'],
  ['a port past the last', { PORT: '65536' }, 'PORT'],
  ['a negative port', { PORT: '-1' }, 'PORT'],
  ['half a port', { PORT: '84.5' }, 'PORT'],
  ['a blank as a pool', { DATABASE_POOL: ' ' }, 'DATABASE_POOL'],
  ['a limit without end', { SHUTDOWN_TIMEOUT: 'Infinity' }, 'SHUTDOWN_TIMEOUT'],
  ['a number with an exponent', { DATABASE_POOL: '1e1' }, 'DATABASE_POOL'],
  ['a hexadecimal number', { PORT: '0x1F90' }, 'PORT'],
  ['a number with a blank', { PORT: '8443 ' }, 'PORT'],
  ['a host with a blank', { HOST: 'my host' }, 'HOST'],
  ['one port for both', { PORT: '9443' }, 'INTERNAL_PORT'],
  ['an open internal port without a certificate', { INTERNAL_HOST: '0.0.0.0' }, 'INTERNAL_HOST'],
  ['another database', { DATABASE_URL: 'mysql://db.example/x' }, 'DATABASE_URL'],
  ['a URL without a host', { DATABASE_URL: 'postgres://[' }, 'DATABASE_URL'],
  ['a file that is not there', { DATABASE_URL_FILE: '/nowhere/url' }, 'DATABASE_URL'],
  ['both forms of a secret', { DATABASE_URL: url, DATABASE_URL_FILE: file('url', url) }, 'DATABASE_URL'],
  ['a migration address alone', { MIGRATION_DATABASE_URL: url }, 'MIGRATION_DATABASE_URL'],
  ['production on the embedded database', { NODE_ENV: 'production', TLS_CERT: pem, TLS_KEY: pem }, 'DATABASE_URL'],
  ['production without a certificate or a proxy', { NODE_ENV: 'production', DATABASE_URL: url }, 'TLS_CERT'],
  ['an empty pool', { DATABASE_POOL: '0' }, 'DATABASE_POOL'],
  ['a flag that says yes', { DATABASE_PREPARED: 'yes' }, 'DATABASE_PREPARED'],
  ['a timeout of a blink', { STATEMENT_TIMEOUT: '5' }, 'STATEMENT_TIMEOUT'],
  ['a domain with a scheme', { BASE_DOMAIN: 'https://staffing.example' }, 'BASE_DOMAIN'],
  ['a domain in capitals', { BASE_DOMAIN: 'Staffing.Example' }, 'BASE_DOMAIN'],
  ['a certificate without its key', { TLS_CERT: pem }, 'TLS_KEY'],
  ['a key without its certificate', { TLS_KEY: pem }, 'TLS_CERT'],
  ['a certificate that is not there', { TLS_CERT: '/nowhere/cert.pem', TLS_KEY: pem }, 'TLS_CERT'],
  ['a certificate that is none', { TLS_CERT: noPem, TLS_KEY: pem }, 'TLS_CERT'],
  ['a proxy by name', { TRUST_PROXY: 'proxy.example' }, 'TRUST_PROXY'],
  ['a network too narrow', { TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY'],
  ['an unsigned algorithm', { JWT_ALGORITHM: 'none' }, 'JWT_ALGORITHM'],
  ['keys that are not JSON', { JWT_KEYS: 'secret' }, 'JWT_KEYS'],
  ['no keys', { JWT_KEYS: set() }, 'JWT_KEYS'],
  ['a secret of one character', { JWT_KEYS: set({ kty: 'oct', kid: 'a', k: 'eA' }) }, 'JWT_KEYS'],
  ['a secret of 31 bytes', { JWT_KEYS: set({ kty: 'oct', kid: 'a', k: secret(31) }) }, 'JWT_KEYS'],
  ['a key without a kid', { JWT_KEYS: set({ kty: 'oct', k: secret(32) }) }, 'JWT_KEYS'],
  ['a kid with a slash', { JWT_KEYS: set({ kty: 'oct', kid: '../a', k: secret(32) }) }, 'JWT_KEYS'],
  [
    'two keys of one kid',
    { JWT_KEYS: set(...['a', 'a'].map(kid => ({ kty: 'oct', kid, k: secret(32) }))) },
    'JWT_KEYS',
  ],
  ['keys of another algorithm', { JWT_ALGORITHM: 'ES256', JWT_KEYS: generateKeySet('HS256') }, 'JWT_KEYS'],
  ['a misspelt variable of tokens', { JWT_KEY: secret(32) }, 'JWT_KEY'],
  ['another variable of tokens', { JWT_SECRET: secret(32) }, 'JWT_SECRET'],
  ['a variable without a letter of its name', { DATABSE_URL: url }, 'DATABSE_URL'],
  ['a variable with two letters swapped', { DATABASE_ULR: url }, 'DATABASE_ULR'],
  ['a misspelt variable of a file', { DATABASE_URL_FIL: '/run/secrets/url' }, 'DATABASE_URL_FIL'],
  ['an issuer too long', { JWT_ISSUER: 'x'.repeat(201) }, 'JWT_ISSUER'],
  ['a rate of nothing', { RATE_LIMIT: '0' }, 'RATE_LIMIT'],
  ['an endless period', { RATE_LIMIT_PERIOD: '86401' }, 'RATE_LIMIT_PERIOD'],
  ['a body limit of one byte', { BODY_LIMIT: '1' }, 'BODY_LIMIT'],
  ['a level that does not exist', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
];

describe('an invalid environment', () => {
  for (const [label, environment, wrong] of bad) {
    test(`names ${wrong} for ${label}`, () => {
      const problems = problemsOf(environment);
      assert.deepEqual(
        problems.map(line => line.split(':')[0]),
        [wrong],
      );
    });
  }

  test('is reported completely, in the order of the table, with the expected value and an example', () => {
    const problems = problemsOf({
      LOG_LEVEL: 'loud',
      PORT: 'x',
      BASE_DOMAIN: '-',
      RATE_LIMIT: 'many',
      JWT_ALGORITHM: 'x',
    });
    assert.deepEqual(
      problems.map(line => line.split(':')[0]),
      ['PORT', 'BASE_DOMAIN', 'JWT_ALGORITHM', 'RATE_LIMIT', 'LOG_LEVEL'],
    );
    assert.equal(problems[0], 'PORT: expected an integer from 0 to 65535, not "x"; for example 8443');
  });

  test('never shows a secret', () => {
    const told = problemsOf({
      DATABASE_URL: 'mysql://staffing:hunter2@db',
      JWT_KEYS: '{"keys":[{"kty":"oct","kid":"a","k":"aHVudGVyMg"}]}',
    }).join();
    assert.ok(!told.includes('hunter2') && !told.includes('aHVudGVyMg'), told);
  });
});

describe('a valid environment', () => {
  test('needs nothing: every variable has a default or is optional', () => {
    const config = readConfig({});
    assert.equal(config.port, 8443);
    assert.equal(config.internalPort, 9443);
    assert.equal(config.database.url, null);
    assert.equal(config.dataDir, resolve('data'));
    assert.equal(config.baseDomain, 'localhost');
    assert.deepEqual(config.rateLimit, { requests: 600, period: 60 });
    assert.equal(config.limits.body, 1_048_576);
  });

  test('treats an empty variable as one that is not set', () => {
    assert.equal(readConfig({ PORT: '', DATABASE_URL: '' }).port, 8443);
  });

  test('reads a secret from the file that _FILE names', () => {
    assert.equal(readConfig({ DATABASE_URL_FILE: file('secret-url', `${url}\n`) }).database.url, url);
    const keys = readConfig({ JWT_KEYS_FILE: file('keys.json', generateKeySet('HS256')) }).jwt.keys;
    assert.equal(keys?.verifying.size, 1);
  });

  test('cannot be changed', () => {
    const config = readConfig({});
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.limits) && Object.isFrozen(config.database));
  });

  test('accepts proxies as IP addresses and networks', () => {
    assert.deepEqual(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1,fd00::/8' }).trustProxy, [
      '10.0.0.0/8',
      '::1',
      'fd00::/8',
    ]);
  });

  test('opens the internal port beyond this machine with TLS, and on it without', () => {
    const tls = { TLS_CERT: pem, TLS_KEY: pem };
    assert.ok(readConfig({ ...tls, INTERNAL_HOST: '0.0.0.0' }).internalTls);
    for (const host of ['127.0.0.1', 'localhost', '::1'])
      assert.equal(readConfig({ ...tls, INTERNAL_HOST: host }).internalTls, null);
  });

  test('accepts every default and every example of the table', () => {
    const none = new Set(['TLS_CERT', 'TLS_KEY', 'INTERNAL_HOST', 'JWT_KEYS', 'JWT_ALGORITHM']);
    for (const part of ['default', 'example'] as const) {
      const environment = variables
        .filter(({ name }) => !none.has(name))
        .map(variable => [variable.name, variable[part] ?? '']);
      assert.deepEqual(problemsOf(Object.fromEntries(environment)), []);
    }
  });
});
