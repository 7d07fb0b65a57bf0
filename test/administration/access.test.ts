import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { generate } from 'selfsigned';
import { createAdmission } from '../../src/administration/api/admission.ts';
import { openInternalPort } from '../../src/http/connection/internal/internal.ts';
import type { InternalRequest } from '../../src/http/connection/internal/route.ts';
import { logged, readLog } from '../../src/tenancy/administration-log.ts';
import { listAdministrationTokens, revokeAdministrationToken } from '../../src/tenancy/administrators.ts';
import { anyDatabase, forAnyDatabase } from '../support/database.ts';
import { type AdministrationServer, startAdministration } from './server.ts';

describe('a request to the internal port', () => {
  let server: AdministrationServer;
  let token: string;
  before(async () => {
    server = await startAdministration(await anyDatabase());
    token = await server.issue();
  });
  after(() => server.close());
  const status = async (headers: Record<string, string>, path = '/me') =>
    (await server.send('GET', path, { Authorization: `Bearer ${token}`, ...headers })).status;

  test('is rejected unless its Host header is a name of this machine', async () => {
    for (const host of ['localhost', '127.0.0.1:9443', '[::1]:9443', 'LOCALHOST:1'])
      assert.equal(await status({ Host: host }), 200);
    for (const host of [
      'rebinding.example',
      'localhost.rebinding.example',
      'localhost@rebinding.example',
      'localhost,rebinding.example',
      'localhost:1:2',
      'localhost.',
      '127.0.0.1.nip.io',
      '0.0.0.0',
    ]) {
      assert.equal(await status({ Host: host }), 403, `"${host}"`);
      assert.equal(await status({ Host: host }, '//'), 403, `the page at ${host}`);
    }
  });

  test('is rejected if it has two Host headers', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `GET /administration/v1/me HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    );
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /^HTTP\/1\.1 40[03] /);
  });

  test('is rejected if a page of another site sends it', async () => {
    const host = { Host: 'localhost:9443' };
    assert.equal(await status({ ...host, Origin: 'http://localhost:9443' }), 200);
    for (const origin of ['https://evil.example', 'null', 'http://localhost:8080', 'https://localhost:9443'])
      assert.equal(await status({ ...host, Origin: origin }), 403, origin);
    for (const site of ['cross-site', 'same-site'])
      assert.equal(await status({ ...host, 'Sec-Fetch-Site': site }), 403);
    const preflight = await server.send('OPTIONS', '/me', { ...host, Origin: 'http://localhost:9443' });
    assert.equal(preflight.headers['access-control-allow-origin'], undefined);
    assert.equal(preflight.status, 401);
  });

  test('authenticates with the header alone: not with a cookie, nor in the URL', async () => {
    for (const [headers, path] of [
      [{ Cookie: `token=${token}; authorization=Bearer ${token}` }, '/me'],
      [{}, `/me?authorization_bearer=${token}`],
      [{ Authorization: `Basic ${token}` }, '/me'],
    ] as const)
      assert.equal((await server.send('GET', path, headers)).status, 401);
    assert.doesNotMatch(server.logs.join('\n'), new RegExp(token));
  });

  test('has responses that are not cached, framed or sniffed', async () => {
    const { headers } = await server.call(token, 'GET', '/me');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['set-cookie'], undefined);
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
  });
});

describe('admission beyond this machine', () => {
  const certificateFor = async (domain: string) => {
    const altNames = [domain, `*.${domain}`, 'localhost'].map(value => ({ type: 2 as const, value }));
    const extensions = [{ name: 'subjectAltName' as const, altNames }];
    const { cert, private: key } = await generate([{ name: 'commonName', value: domain }], { extensions });
    return { cert, key };
  };
  const asked = (host: string, more: Partial<InternalRequest> = {}): InternalRequest => ({
    method: 'GET',
    path: '/',
    target: '/',
    headers: {},
    rawHeaders: ['Host', host],
    body: new Uint8Array(),
    address: '192.0.2.7',
    secure: true,
    ...more,
  });

  test('needs TLS and a name of the certificate', async () => {
    const { cert } = await certificateFor('staffing.example');
    const admit = createAdmission(new X509Certificate(cert));
    admit(asked('staffing.example:9443'));
    admit(asked('internal.staffing.example'));
    assert.throws(() => admit(asked('staffing.example', { secure: false })), { code: 'https_required' });
    for (const host of ['evil.example', '192.0.2.1', '[2001:db8::1]'])
      assert.throws(() => admit(asked(host)), { code: 'forbidden' }, host);
    assert.throws(() => createAdmission(null)(asked('staffing.example')), { code: 'forbidden' });
    // The probes and the command line of this machine.
    admit(asked('localhost:9443', { secure: false, address: '::ffff:127.0.0.1' }));
  });

  test('serves HTTPS and plain HTTP on the same port', async () => {
    const { cert, key } = await certificateFor('staffing.example');
    const port = await openInternalPort({ port: 0, host: '127.0.0.1', tls: { cert, key } }, {}, async ({ secure }) => ({
      status: 200,
      body: { secure },
    }));
    const secure = await new Promise((resolve, reject) => {
      request({ host: 'localhost', port: port.port, ca: cert, agent: false, headers: { Connection: 'close' } })
        .on('error', reject)
        .on('response', async response => resolve(JSON.parse(String(await response.toArray()))))
        .end();
    });
    assert.deepEqual(secure, { secure: true });
    const plain = await fetch(`http://127.0.0.1:${port.port}/`, { headers: { Connection: 'close' } });
    assert.deepEqual(await plain.json(), { secure: false });
    await port.close();
  });
});

describe('requests of one address', () => {
  test('are limited, those with an invalid token more', async () => {
    const server = await startAdministration(await anyDatabase(), { requests: 8, failures: 3 });
    const token = await server.issue();
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await server.call('x', 'GET', '/me')).status);
    assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
    for (let index = 0; index < 3; index++) assert.equal((await server.call(token, 'GET', '/me')).status, 200);
    const limited = await server.call(token, 'GET', '/me');
    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers['retry-after']) > 0);
    await server.close();
  });
});

forAnyDatabase((_, getDatabase) => {
  describe('an administration token', () => {
    let server: AdministrationServer;
    before(async () => {
      server = await startAdministration(getDatabase());
    });
    after(() => server.close());
    const codeOf = async (token: string) => (await server.call(token, 'GET', '/me')).body.code;

    test('is stored as a hash, and is invalid once it has expired or is revoked', async () => {
      const token = await server.issue();
      const [, id = '', secret = ''] = /^adm_([^_]+)_(.*)$/.exec(token) ?? [];
      const stored = await sql`select * from administration_tokens where id = ${id}`.execute(getDatabase().system);
      assert.equal(stored.rows.length, 1);
      assert.ok(!JSON.stringify(stored.rows).includes(secret));
      assert.equal(await codeOf(token), undefined);
      const used = (await listAdministrationTokens(getDatabase())).find(entry => entry.id === id);
      assert.ok(used?.lastUsedAt);
      await revokeAdministrationToken(getDatabase(), id);
      assert.equal(await codeOf(token), 'token_revoked');
      assert.equal(await codeOf(await server.issue(null, -1)), 'token_expired');
      assert.equal(await revokeAdministrationToken(getDatabase(), 'none'), null);
    });

    test('is none of the tenants’ API', async () => {
      const tenant = await server.newTenant();
      const headers = { Host: `${tenant.slug}.test`, Authorization: `Bearer ${await server.issue(tenant)}` };
      assert.equal((await server.app.send('GET', '/clients', headers)).status, 401);
    });
  });

  describe('the administration log', () => {
    let server: AdministrationServer;
    let operator: string;
    before(async () => {
      server = await startAdministration(getDatabase());
      operator = await server.issue();
    });
    after(() => server.close());

    test('tells of each act: who, what, when, from where, and how it ended', async () => {
      const tenant = await server.newTenant();
      const path = `/tenants/${tenant.slug}/api-users`;
      const own = await server.issue(tenant);
      const created = await server.send(
        'POST',
        path,
        { Authorization: `Bearer ${own}`, 'X-Request-Id': 'my-id' },
        { name: 'one' },
      );
      assert.equal((await server.call(own, 'POST', path, { name: 'one' })).status, 422);
      await server.call(own, 'GET', path);
      const issued = await server.call(own, 'POST', `${path}/${created.body.id}/tokens`, {});
      const secret = await server.call(own, 'GET', `/tenants/${tenant.slug}/webhook-secret`);
      const log = (await server.call(operator, 'GET', '/log')).body.filter(
        (entry: { tenant: string }) => entry.tenant === tenant.slug,
      );
      assert.deepEqual(
        log.map(({ operation, target, status, administrator, address }: Record<string, unknown>) => [
          operation,
          target,
          status,
          administrator,
          address,
        ]),
        [
          ['webhookSecrets_read', null, 200, 'Ada', '127.0.0.1'],
          ['apiUsers_issueToken', String(created.body.id), 201, 'Ada', '127.0.0.1'],
          ['apiUsers_create', 'one', 422, 'Ada', '127.0.0.1'],
          ['apiUsers_create', 'one', 201, 'Ada', '127.0.0.1'],
        ],
      );
      assert.equal(log.at(-1).request_id, 'my-id');
      assert.equal(log[0].token_id, own.split('_')[1]);
      const everything = JSON.stringify(log) + server.logs.join('\n');
      for (const hidden of [issued.body.token, secret.body.secret, own, operator])
        assert.ok(!everything.includes(hidden));
      const older = await server.call(operator, 'GET', `/log?limit=1&before=${log[0].id}`);
      assert.ok(older.body.length === 1 && older.body[0].id < log[0].id);
    });

    test('is read before any id, and before nothing else', async () => {
      for (const [before, status] of [
        [Number.MAX_SAFE_INTEGER, 200],
        [Number.MAX_SAFE_INTEGER - 1, 200],
        ['9007199254740992', 400],
        ['0', 400],
        ['01', 400],
      ])
        assert.equal((await server.call(operator, 'GET', `/log?before=${before}`)).status, status, String(before));
    });

    test('has one line for each act, whatever its target is', async () => {
      const act = {
        administrator: 'Ada',
        operation: 'x',
        tenant: 'injected',
        target: `a\r\n{"level":30}\u001b[2J\u202e\u2028${'x'.repeat(300)}`,
      };
      await logged(
        getDatabase(),
        act,
        async () => {},
        () => 200,
      );
      const [entry] = await readLog(getDatabase(), { limit: 1 });
      assert.match(entry?.target ?? '', /^a {2}\{"level":30\} \[2J {2}x+$/u);
      assert.equal(entry?.target?.length, 200);
    });

    test('tells of what is in progress: nothing is done that it can’t tell of', async () => {
      const act = { administrator: 'Ada', operation: 'y' };
      await logged(
        getDatabase(),
        act,
        async () => assert.equal((await readLog(getDatabase(), { limit: 1 }))[0]?.status, null),
        () => 204,
      );
      assert.equal((await readLog(getDatabase(), { limit: 1 }))[0]?.status, 204);
      let done = false;
      const broken = { ...act, operation: null as unknown as string };
      const work = async () => {
        done = true;
      };
      await assert.rejects(logged(getDatabase(), broken, work, () => 200));
      assert.equal(done, false);
    });
  });
});
