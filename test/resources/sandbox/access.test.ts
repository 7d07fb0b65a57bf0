import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { modules } from '../../../src/core/resource/modules.ts';
import { updateTenant } from '../../../src/domain/provision/update-tenant.ts';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { automate } from '../../automations/scene.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { operations } from '../../support/operations.ts';
import { flush, inboxOf, type Message } from './scene.ts';

const own = operations.filter(({ path }) => path.startsWith('/sandbox/'));
const bodyOf = ({ method }: { method: string }) =>
  method === 'PUT' ? { body: { now: new Date(Date.now() + 60_000).toISOString() } } : {};

forAnyApp((live, app) => {
  describe('the operations of sandboxes', () => {
    let sandbox: Client;
    let count = 0;
    before(async () => {
      sandbox = await app.newClient({ sandbox: true });
    });

    const userOf = async (
      client: Client,
      access: { readonly scopes?: readonly string[]; readonly hidden?: readonly 'contact'[] },
    ) => {
      const name = `${JSON.stringify(access)} ${++count}`;
      const { id } = await createApiUser(client.database, client.tenant, { name, readOnly: false, ...access });
      return { tenant: client.tenant, token: await app.tokenOf(client.tenant, id) };
    };

    it('are forbidden to other tenants, whatever the request', async () => {
      assert.equal(own.length, 4);
      for (const { method, path } of own) {
        const bodies = method === 'PUT' ? [{ body: { now: 'x' } }, { body: '{' }, bodyOf({ method })] : [{}];
        for (const asked of bodies) {
          const { status, body } = await live.call(method, path, asked);
          assert.deepEqual([status, body.code, body.message], [403, 'forbidden', 'The tenant is not a sandbox.']);
        }
      }
      assert.equal((await live.call('GET', '/me')).body.tenant.sandbox, 0);
      assert.equal((await sandbox.call('GET', '/me')).body.tenant.sandbox, 1);
    });

    it('can be read by read-only API users', async () => {
      const reader = { tenant: sandbox.tenant, token: sandbox.readOnlyToken };
      for (const operation of own) {
        const { status, body } = await app.callAs(reader, operation.method, operation.path, bodyOf(operation));
        if (operation.method === 'GET') assert.equal(status, 200);
        else assert.deepEqual([status, body.code], [405, 'read_only_user']);
      }
    });

    it('need the scopes sandbox:read and sandbox:write', async () => {
      for (const [scopes, get, put] of [
        [['clients:read', 'clients:write'], 403, 403],
        [['sandbox:read'], 200, 405],
        [['sandbox:read', 'sandbox:write'], 200, 200],
        [['*:read'], 200, 405],
      ] as const) {
        const user = await userOf(sandbox, { scopes });
        for (const operation of own) {
          const { status } = await app.callAs(user, operation.method, operation.path, bodyOf(operation));
          const expected = operation.method === 'GET' ? get : put;
          assert.equal(status === 204 ? 200 : status, expected, `${scopes}: ${operation.operationId}`);
        }
      }
    });

    it('show of the inbox what the API user may read, with the values of no configured header', async () => {
      const client = await app.newClient({ sandbox: true });
      const headers = { Authorization: 'Bearer k-4711' };
      const to = ['webhook.post', { url: 'https://hooks.example.com/a', headers }] as const;
      await automate(client, ['record.changed', { resource: ['clients', 'employees'], include: 'record' }], to);
      await automate(client, ['function.understaffed', {}], to);
      assert.equal((await client.call('POST', '/clients', { body: { company: 'Alba' } })).status, 201);
      const employee = { firstname: 'Ada', lastname: 'Ott', email: 'ada@example.com' };
      const made = await client.call('POST', '/employees', { body: employee });
      assert.equal(made.status, 201, made.text);
      const start = Date.now() + 86_400_000;
      await new Staffing(client).shift(new Date(start).toISOString(), new Date(start + 3_600_000).toISOString());
      await flush(client);
      const inbox = async (access: Parameters<typeof userOf>[1], query = '') => {
        const { status, body, text } = await app.callAs(await userOf(client, access), 'GET', `/sandbox/inbox${query}`);
        assert.equal(status, 200, text);
        assert.doesNotMatch(text, /k-4711/);
        return body.map(({ headers, body }: Message) => {
          assert.equal(headers.Authorization, '***');
          assert.match(String(headers['webhook-signature']), /^v1,/);
          const { type, data } = JSON.parse(body);
          return data.resource ?? type;
        });
      };
      const all = await inbox({});
      assert.ok(
        ['clients', 'employees', 'function.understaffed'].every(name => all.includes(name)),
        String(all),
      );
      assert.deepEqual(await inbox({ scopes: ['sandbox:read'] }), []);
      assert.deepEqual(new Set(await inbox({ scopes: ['sandbox:read', 'clients:read'] })), new Set(['clients']));
      assert.deepEqual(await inbox({ scopes: ['sandbox:read', 'event-functions:read'] }), ['function.understaffed']);
      assert.deepEqual(
        await inbox({ hidden: ['contact'] }),
        all.filter((name: string) => name !== 'employees'),
      );
      assert.deepEqual(await inbox({ scopes: ['sandbox:read', 'event-functions:read'] }, '?limit=1'), [
        'function.understaffed',
      ]);
    });

    it('show nothing of a module that the tenant does not have any more', async () => {
      const client = await app.newClient({ sandbox: true });
      const { database, tenant } = client;
      const configuration = { resource: ['clients', 'public-holidays'], include: 'record' };
      await automate(client, ['record.changed', configuration]);
      await client.call('POST', '/clients', { body: { company: 'Alba' } });
      await client.call('POST', '/public-holidays', { body: { date: '2031-05-01', name: 'May Day' } });
      await flush(client);
      const told = async () => (await inboxOf(client)).map(({ body }) => JSON.parse(body).data.resource);
      assert.deepEqual(await told(), ['clients', 'public-holidays']);
      const others = modules.filter(name => name !== 'payroll');
      await updateTenant(database, tenant, { modules: others }, 'test');
      assert.deepEqual(await told(), ['clients']);
      await updateTenant(database, tenant, { modules }, 'test');
      assert.deepEqual(await told(), ['clients', 'public-holidays']);
    });
  });
});
