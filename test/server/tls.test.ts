import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { type Certificate, type Listener, listen } from '../../src/http/connection/listen.ts';
import { issue } from '../../src/server/tls/authority.ts';
import { authorityFile, isCovered, loadCertificate } from '../../src/server/tls/certificate.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tls-'));
after(() => rmSync(dataDir, { recursive: true }));

const config = { tls: null, dataDir, baseDomain: 'localhost', production: false };
const load = async (changed: Partial<typeof config> = {}, now?: Date): Promise<Certificate> => {
  const certificate = await loadCertificate({ ...config, ...changed }, now);
  assert.ok(certificate);
  return certificate;
};
const read = (name: string): string => readFileSync(join(dataDir, 'tls', name), 'utf8');
const listeners: Listener[] = [];
after(() => Promise.all(listeners.map(({ close }) => close())));

const open = async (tls: Certificate): Promise<number> => {
  const listener = await listen((_, response) => void response.end(), { port: 0, host: '127.0.0.1', tls, grace: 1 });
  listeners.push(listener);
  return listener.port;
};

/** Connects with a server name, as a client that trusts the authority alone; returns the error's message, or null. */
const refusal = async (port: number, servername: string, host = '127.0.0.1'): Promise<string | null> => {
  const socket = connect({ port, host, ca: read('ca.pem'), ...(servername !== '' && { servername }) });
  try {
    await once(socket, 'secureConnect');
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    socket.destroy();
  }
};

describe('the development certificate', () => {
  test('is kept with its authority, whose keys their owner alone can read', async () => {
    const first = await load();
    const authority = read('ca.pem');
    assert.equal((await load()).cert, first.cert);
    assert.equal(read('ca.pem'), authority);
    assert.equal(authorityFile(config), join(dataDir, 'tls', 'ca.pem'));
    for (const name of ['ca-key.pem', 'key.pem'])
      assert.equal(statSync(join(dataDir, 'tls', name)).mode & 0o777, 0o600, name);
    assert.equal(new X509Certificate(authority).ca, true);
    assert.equal(new X509Certificate(first.cert).ca, false);
  });

  test('is renewed within a month of its expiry, and replaced when it is not of the authority; the authority stays', async () => {
    const first = await load();
    const authority = read('ca.pem');
    const late = new Date(new Date(new X509Certificate(first.cert).validTo).getTime() - 29 * 86_400_000);
    const renewed = await load({}, late);
    assert.notEqual(renewed.cert, first.cert);
    const foreign = { cert: authority, key: (await load()).key };
    const { cert, key } = await issue(foreign, ['localhost', '127.0.0.1', '::1'], [new Date(0), late]);
    writeFileSync(join(dataDir, 'tls', 'cert.pem'), cert);
    writeFileSync(join(dataDir, 'tls', 'key.pem'), key);
    assert.notEqual((await load()).cert, cert);
    assert.equal(read('ca.pem'), authority);
  });

  test('is valid for the base domain, this machine, and each tenant, also one that is added later', async () => {
    const port = await open(await load());
    for (const name of ['localhost', 'demo.localhost', 'added-later.localhost', 'TRIAL.localhost', ''])
      assert.equal(await refusal(port, name), null, name);
    for (const name of ['jobs.acme.test', 'a.b.localhost', 'evil.test', '*.localhost'])
      assert.notEqual(await refusal(port, name), null, name);
    for (const [name, covered] of [
      ['trial.localhost', true],
      ['127.0.0.1', true],
      ['a.b.localhost', false],
      ['jobs.acme.test', false],
      ['notlocalhost', false],
    ] as const)
      assert.equal(isCovered(name, 'localhost'), covered, name);
  });

  test('has an authority that can vouch for no other names', async () => {
    const authority = { cert: read('ca.pem'), key: read('ca-key.pem') };
    const period = [new Date(Date.now() - 1000), new Date(Date.now() + 86_400_000)] as const;
    const present = async (name: string) => open(await issue(authority, [name], period));
    assert.equal(await refusal(await present('x.y.localhost'), 'x.y.localhost'), null);
    for (const name of ['bank.example', '192.0.2.1'])
      assert.equal(await refusal(await present(name), name), 'permitted subtree violation', name);
  });

  test('has another authority when the base domain is another', async () => {
    await load();
    const first = read('ca.pem');
    const port = await open(await load({ baseDomain: 'staffing.test' }));
    assert.notEqual(read('ca.pem'), first);
    for (const name of ['staffing.test', 'acme.staffing.test', 'localhost'])
      assert.equal(await refusal(port, name), null, name);
    assert.notEqual(await refusal(port, 'demo.localhost'), null);
  });

  test('is never made in production', async () => {
    const folder = join(dataDir, 'production');
    assert.equal(await loadCertificate({ ...config, dataDir: folder, production: true }), null);
    assert.equal(authorityFile({ ...config, production: true }), null);
    assert.throws(() => statSync(folder), { code: 'ENOENT' });
  });
});

test('a configured certificate is used as it is', async () => {
  const { cert, key } = await load();
  assert.deepEqual(await loadCertificate({ ...config, tls: { cert, key } }), { cert, key });
});
