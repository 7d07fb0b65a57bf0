import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { pino } from 'pino';
import { type ActivityRecorder, startActivity } from '../../../src/server/activity.ts';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { type App, type Asked, type Client, startApp } from '../../support/app.ts';
import { forEachDatabase } from '../../support/database.ts';

forEachDatabase((_, getDatabase) => {
  let app: App;
  let client: Client;
  let activity: ActivityRecorder;

  before(async () => {
    const database = getDatabase();
    activity = startActivity(database, pino({ level: 'silent' }), 3_600_000);
    app = await startApp(database, { observe: activity.observe });
    client = await app.newClient();
  });

  /** Sends a request with an id of its own; returns the id. */
  const send = async (id: string, method: string, path: string, asked: Asked = {}): Promise<string> => {
    await client.call(method, path, { ...asked, headers: { ...asked.headers, 'X-Request-Id': id } });
    return id;
  };
  /** Lists requests, which are observed after their responses, once there are as many. */
  const listed = async (query: string, count: number, token = client.token) => {
    for (let rounds = 0; rounds < 100; rounds++) {
      await activity.flush();
      const { status, body, text } = await app.callAs({ ...client, token }, 'GET', `/me/requests?${query}`);
      assert.equal(status, 200, text);
      if (body.length >= count) return body;
    }
    assert.fail(`There are fewer requests than ${count}.`);
  };

  describe('the own requests', () => {
    it('are those of every kind of operation and response, newest first, without their values', async () => {
      await send('seen-1', 'POST', '/clients', { body: { company: 'Secret company' } });
      await send('seen-2', 'GET', '/clients/999999999?fields=id');
      await send('seen-3', 'GET', '/clients?company=Secret');
      await send('seen-4', 'POST', '/clients/999999999', {
        headers: { 'X-HTTP-Method-Override': 'PUT' },
        body: { company: '' },
      });
      await send('seen-5', 'GET', '/secret-path/7');
      await send('seen-6', 'PUT', '/assignments/999999999/status?dry_run=true', { body: { status: 6 } });
      await send('seen-7', 'GET', '/openapi.json');
      const requests = await listed('request_id=~seen-', 7);
      for (const { at, milliseconds } of requests) {
        assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        assert.ok(Number.isInteger(milliseconds) && milliseconds >= 0);
      }
      assert.deepEqual(
        requests.map(({ at: _, milliseconds: __, ...request }: Record<string, unknown>) => Object.values(request)),
        [
          ['seen-7', 'GET', null, '/openapi.json', 200, null],
          ['seen-6', 'PUT', 'assignments_setStatus', '/assignments/{id}/status', 404, 'not_found'],
          ['seen-5', 'GET', null, null, 404, 'not_found'],
          ['seen-4', 'PUT', 'clients_update', '/clients/{id}', 404, 'not_found'],
          ['seen-3', 'GET', 'clients_list', '/clients', 200, null],
          ['seen-2', 'GET', 'clients_read', '/clients/{id}', 404, 'not_found'],
          ['seen-1', 'POST', 'clients_create', '/clients', 201, null],
        ],
      );
      assert.doesNotMatch(JSON.stringify(requests), /secret/i);
    });

    it('have what listings have: filters, sort, fields, count, pages and other formats', async () => {
      for (const id of ['page-a', 'page-b', 'page-c']) await send(id, 'GET', '/functions');
      await listed('request_id=~page-', 3);
      const query = 'request_id=~page-&sort=request_id&fields=request_id,status&limit=2&count=true';
      const first = await client.call('GET', `/me/requests?${query}`);
      assert.deepEqual(first.body, [
        { request_id: 'page-a', status: 200 },
        { request_id: 'page-b', status: 200 },
      ]);
      assert.equal(first.headers['x-total-count'], '3');
      const next = /<\/api\/v1(.+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
      assert.deepEqual((await client.call('GET', next)).body, [{ request_id: 'page-c', status: 200 }]);
      const csv = await client.call('GET', '/me/requests.csv?request_id=page-a&fields=request_id,operation');
      assert.match(csv.text, /^request_id,operation\r\npage-a,functions_list\r\n$/);
    });

    it('are those of no other API user, of this tenant or another, and need no scope', async () => {
      await send('whose-1', 'GET', '/functions');
      const user = await createApiUser(app.database, client.tenant, {
        name: 'narrow',
        readOnly: true,
        scopes: ['clients:read'],
        hidden: ['contact'],
      });
      const token = await app.tokenOf(client.tenant, user.id);
      const narrow = { ...client, token };
      await app.callAs(narrow, 'GET', '/clients', { headers: { 'X-Request-Id': 'whose-2' } });
      await app.callAs(narrow, 'GET', '/projects', { headers: { 'X-Request-Id': 'whose-3' } });
      const namesOf = (requests: { request_id: string; code: string | null }[]) =>
        requests.map(({ request_id, code }) => `${request_id} ${code}`);
      assert.deepEqual(namesOf(await listed('request_id=~whose-', 2, token)), [
        'whose-3 scope_missing',
        'whose-2 null',
      ]);
      assert.deepEqual(namesOf(await listed('request_id=~whose-', 1)), ['whose-1 null']);
      const other = await app.newClient();
      assert.deepEqual((await other.call('GET', '/me/requests?request_id=~whose-')).body, []);
      assert.equal((await client.call('GET', `/me/requests?api_user_id=${user.id}`)).status, 400);
    });

    it('are kept while the API user is disabled', async () => {
      const user = await createApiUser(app.database, client.tenant, { name: 'paused', readOnly: false });
      const token = await app.tokenOf(client.tenant, user.id);
      await app.callAs({ ...client, token }, 'GET', '/clients', { headers: { 'X-Request-Id': 'paused-1' } });
      await listed('request_id=paused-1', 1, token);
      const turn = (active: boolean) =>
        app.database.asOwner(client.tenant.id, ({ kysely }) =>
          kysely.updateTable('api_users').set({ active }).where('id', '=', user.id).execute(),
        );
      await turn(false);
      await turn(true);
      assert.equal((await listed('request_id=paused-1', 1, token)).length, 1);
    });

    it('are not written by the request itself', async () => {
      await send('later-1', 'GET', '/functions');
      assert.deepEqual((await client.call('GET', '/me/requests?request_id=later-1')).body, []);
      await listed('request_id=later-1', 1);
    });
  });
});
