import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/db/open.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { startApp } from '../support/app.ts';
import { inMemory, migratedUrl } from '../support/database.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { bodyFor, operationOf, operations } from '../support/operations.ts';
import { restricted } from '../support/restricted.ts';
import { Scene } from '../support/scene.ts';

let keys = 0;
const newKey = () => `key-${++keys}`;

forEachApp((client, app, name) => {
  const scene = new Scene(client);

  const post = (key: string, body: unknown = { company: 'Once' }, path = '/clients', from = client) =>
    from.call('POST', path, { headers: { 'Idempotency-Key': key }, body });
  const countOf = async (company: string) => (await client.call('GET', `/clients?company=${company}`)).body.length;

  describe('Idempotency-Key', () => {
    for (const operation of operations.filter(({ verb }) => verb === 'create')) {
      const { resource, operationId } = operation;
      it(`makes one record by ${operationId} of two equal requests`, async () => {
        const key = newKey();
        const body = await scene.bodyOf(resource);
        if (operation.parent) delete body[operation.parent.field];
        const address = await scene.pathOf(operation);
        const first = await post(key, body, address);
        assert.equal(first.status, 201, first.text);
        assert.equal(first.headers['idempotency-replayed'], undefined);
        const again = await post(key, body, address);
        assert.deepEqual([again.status, again.text], [201, first.text]);
        assert.equal(again.headers.location, first.headers.location);
        assert.equal(again.headers.etag, first.headers.etag);
        assert.equal(again.headers['idempotency-replayed'], 'true');
        if (!operationOf(resource, 'update')) return;
        const path = String(first.headers.location).replace('/api/v1', '');
        const put = (value: unknown) =>
          client.call('PUT', path, { headers: { 'Idempotency-Key': `${key}-put` }, body: value });
        const changed = await put(first.body);
        assert.equal(changed.status, 200, changed.text);
        assert.deepEqual((await put(first.body)).text, changed.text);
        assert.equal((await put({})).body.code, 'idempotency_conflict');
      });
    }

    // What belongs to no resource is for sandboxes: test/resources/sandbox.
    for (const operation of operations.filter(
      ({ method, resource }) => (method === 'POST' || method === 'PUT') && resource !== '',
    )) {
      it(`is looked at by ${operation.operationId}`, async () => {
        const id = await scene.idOf(operation.parent?.resource ?? operation.resource);
        const { status, body } = await client.call(operation.method, await scene.pathOf(operation, id), {
          headers: { 'Idempotency-Key': 'x'.repeat(256) },
          body: bodyFor(operation, id),
        });
        assert.deepEqual([status, body.code], [400, 'invalid_parameter']);
        assert.match(body.message, /Idempotency-Key/);
      });
    }

    it('is one API user’s own', async () => {
      const key = newKey();
      const first = await post(key);
      for (const other of [await app.newClient(), await restricted(app, client, {})]) {
        const { status, body } = await post(key, { company: 'Once' }, '/clients', other);
        assert.equal(status, 201, body.message);
        assert.notEqual(body.id, first.body.id);
      }
    });

    it('belongs to the address, its query and the body that it came with', async () => {
      const key = newKey();
      assert.equal((await post(key, { company: 'A', status: 1 })).status, 201);
      const others: [body: unknown, path: string][] = [
        [{ company: 'B', status: 1 }, '/clients'],
        [{ company: 'A', status: 1 }, '/clients.xml'],
        [{ company: 'A', status: 1 }, '/clients?envelope=false'],
        [{ name: 'A' }, '/functions'],
      ];
      for (const [body, path] of others) {
        const response = await post(key, body, path);
        assert.equal(response.status, 409, path);
        assert.match(response.text, /idempotency_conflict/);
      }
    });

    it('of an upload belongs to its bytes and to what its headers say of them', async () => {
      const key = newKey();
      const upload = (body: string, more: Readonly<Record<string, string>> = {}) =>
        client.call('POST', '/files', {
          headers: { 'Idempotency-Key': key, 'Content-Type': 'text/plain', ...more },
          body: Buffer.from(body),
        });
      const first = await upload('once');
      assert.equal(first.status, 201, first.text);
      assert.equal((await upload('once')).text, first.text);
      for (const response of [
        await upload('twice'),
        await upload('once', { 'X-File-Name': 'once.txt' }),
        await upload('once', { 'X-File-Visibility': 'public' }),
        await upload('once', { 'Content-Type': 'text/csv' }),
      ])
        assert.deepEqual([response.status, response.body.code], [409, 'idempotency_conflict']);
    });

    it('keeps successes only', async () => {
      const key = newKey();
      assert.equal((await post(key, {})).status, 422);
      assert.equal((await post(key, {})).headers['idempotency-replayed'], undefined);
      assert.equal((await post(key)).status, 201);
    });

    it('is a text of 1 to 255 characters', async () => {
      for (const key of ['', 'x'.repeat(256), 'ä']) assert.equal((await post(key)).body.code, 'invalid_parameter', key);
      assert.equal((await post('x'.repeat(255))).status, 201);
    });

    it('responds to the repeat in the form that it asks for', async () => {
      const key = newKey();
      const path = '/clients?envelope=true';
      const first = await post(key, { company: 'Enveloped' }, path);
      const again = await post(key, { company: 'Enveloped' }, path);
      assert.equal(again.body.status_code, 201);
      assert.equal(again.body.idempotency_replayed, 'true');
      assert.deepEqual(again.body.response, first.body.response);
    });

    it('makes one record of 50 requests at once, and tells the others so', async () => {
      const key = newKey();
      const responses = await Promise.all(Array.from({ length: 50 }, () => post(key, { company: 'Parallel' })));
      const made = responses.filter(({ status }) => status === 201);
      assert.ok(made.length > 0);
      assert.equal(new Set(made.map(({ body }) => body.id)).size, 1);
      assert.equal(made.filter(({ headers }) => !headers['idempotency-replayed']).length, 1);
      for (const { status, body } of responses.filter(response => response.status !== 201))
        assert.deepEqual([status, body.code], [409, 'idempotency_in_progress']);
      assert.equal(await countOf('Parallel'), 1);
    });

    it('is forgotten after a day, and swept then', async () => {
      const [old, key] = [newKey(), newKey()];
      const first = await post(old);
      await post(key);
      const age = () =>
        client.database.asOwner(client.tenant.id, ({ send }) =>
          send({
            name: null,
            text: `update idempotency_keys set created_at = now() - interval '24 hours 1 second' where tenant_id = $1`,
            values: [String(client.tenant.id)],
          }),
        );
      await age();
      assert.notEqual((await post(old)).body.id, first.body.id);
      for (let sweep = 0; sweep < 3; sweep++) await post(newKey());
      const [left] = await client.database.forTenant(client.tenant).read({
        name: null,
        text: `select count(*) from idempotency_keys where tenant_id = $1 and created_at < now() - interval '1 hour'`,
        values: [String(client.tenant.id)],
      });
      assert.equal(left?.rows[0]?.[0], '0');
    });
  });

  if (name === 'postgres')
    describe('Idempotency-Key and a server that dies', () => {
      it('has the first response after a kill between commit and response', async context => {
        const url = await migratedUrl();
        const set = generateKeySet('HS256');
        const database = openDatabase({ ...inMemory, url });
        const survivor = await startApp(database, { keys: parseKeySet(set, 'HS256') });
        const caller = await survivor.newClient();
        const script = new URL('../support/dying-server.ts', import.meta.url).pathname;
        const child = spawn(process.execPath, [script], {
          env: { ...process.env, DATABASE_URL: url, KEYS: set },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        context.after(() => child.kill('SIGKILL'));
        const exit = once(child, 'exit');
        const [port] = await once(child.stdout, 'data');
        const headers = {
          Host: `${caller.tenant.slug}.test`,
          Authorization: `Bearer ${caller.token}`,
          'Content-Type': 'application/json',
          'X-Forwarded-Proto': 'https',
          'Idempotency-Key': 'crash',
        };
        const lost = await new Promise<Error>((resolve, reject) => {
          request({ host: '127.0.0.1', port: Number(port), path: '/api/v1/clients', method: 'POST', headers })
            .on('response', () => reject(new Error('The server responded.')))
            .on('error', resolve)
            .end('{"company":"Survivor"}');
        });
        assert.match(lost.message, /hang up|ECONNRESET/);
        assert.deepEqual(await exit, [null, 'SIGKILL']);
        const again = await post('crash', { company: 'Survivor' }, '/clients', caller);
        assert.deepEqual([again.status, again.headers['idempotency-replayed']], [201, 'true']);
        const { body } = await caller.call('GET', '/clients?company=Survivor');
        assert.deepEqual(body, [again.body]);
        await survivor.close();
        await database.close();
      });
    });
});
