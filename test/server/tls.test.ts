import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { loadCertificate } from '../../src/server/tls/certificate.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tls-'));
after(() => rmSync(dataDir, { recursive: true }));

const config = { tls: null, dataDir, baseDomain: 'staffing.test' };

describe('the development certificate', () => {
  test('is generated once, its key readable by its owner only', async () => {
    const first = await loadCertificate(config);
    const second = await loadCertificate(config);
    assert.equal(first.cert, second.cert);
    assert.equal(statSync(join(dataDir, 'tls', 'key.pem')).mode & 0o777, 0o600);
    assert.equal(first.path, join(dataDir, 'tls', 'cert.pem'));
  });

  test('names the base domain, its tenants and this machine', async () => {
    const certificate = new X509Certificate((await loadCertificate(config)).cert);
    for (const host of ['staffing.test', 'acme.staffing.test', 'localhost'])
      assert.equal(certificate.checkHost(host) !== undefined, true, host);
    for (const address of ['127.0.0.1', '::1']) assert.equal(certificate.checkIP(address), address);
    assert.equal(certificate.ca, false);
  });

  test('is renewed within a month of its expiry, for another domain, and for a host that it does not contain', async () => {
    const first = await loadCertificate(config);
    const late = await loadCertificate(config, [], new Date(first.validTo.getTime() - 29 * 86_400_000));
    assert.notEqual(late.cert, first.cert);
    const moved = await loadCertificate({ ...config, baseDomain: 'other.test' });
    assert.notEqual(moved.cert, late.cert);
    const named = await loadCertificate({ ...config, baseDomain: 'other.test' }, ['jobs.acme.test']);
    assert.ok(new X509Certificate(named.cert).checkHost('jobs.acme.test'));
  });
});

test('a configured certificate is used as it is', async () => {
  const { cert, key } = await loadCertificate(config);
  const loaded = await loadCertificate({ ...config, tls: { cert, key } });
  assert.equal(loaded.cert, cert);
  assert.equal(loaded.path, null);
});
