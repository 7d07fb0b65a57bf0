import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readConfig } from '../../src/server/config/config.ts';
import { loadKeys } from '../../src/server/load-keys.ts';
import { generateKeySet } from '../../src/tenancy/keys.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'keys-'));
after(() => rmSync(dataDir, { recursive: true }));

describe('keys of tokens', () => {
  test('are generated once if none are configured, readable by their owner only', () => {
    const config = readConfig({ DATA_DIR: dataDir });
    const [first, second] = [loadKeys(config), loadKeys(config)];
    assert.equal(first.signing.kid, second.signing.kid);
    assert.ok(first.signing.key.equals(second.signing.key));
    assert.deepEqual(readdirSync(join(dataDir, 'keys')), ['HS256.json']);
    assert.equal(statSync(join(dataDir, 'keys', 'HS256.json')).mode & 0o777, 0o600);
  });

  test('are generated for another algorithm in addition to the old ones', () => {
    const keys = loadKeys(readConfig({ DATA_DIR: dataDir, JWT_ALGORITHM: 'ES256' }));
    assert.equal(keys.algorithm, 'ES256');
    assert.deepEqual(readdirSync(join(dataDir, 'keys')).sort(), ['ES256.json', 'HS256.json']);
  });

  test('that are configured are used, and none are generated', () => {
    const other = mkdtempSync(join(tmpdir(), 'keys-'));
    const text = generateKeySet('HS256');
    const keys = loadKeys(readConfig({ DATA_DIR: other, JWT_KEYS: text }));
    assert.equal(keys.signing.kid, JSON.parse(text).keys[0].kid);
    assert.deepEqual(readdirSync(other), []);
    rmSync(other, { recursive: true });
  });

  test('that were damaged are rejected, not replaced', () => {
    writeFileSync(join(dataDir, 'keys', 'HS256.json'), '{}');
    assert.throws(() => loadKeys(readConfig({ DATA_DIR: dataDir })), { name: 'KeyError' });
  });
});
