import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import type { Client } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { operations } from '../../support/operations.ts';

const own = operations.filter(({ path }) => path.startsWith('/sandbox/'));
const bodyOf = ({ method }: { method: string }) =>
  method === 'PUT' ? { body: { now: new Date(Date.now() + 60_000).toISOString() } } : {};

forEachApp((live, app) => {
  describe('the operations of sandboxes', () => {
    let sandbox: Client;
    before(async () => {
      sandbox = await app.newClient({ sandbox: true });
    });

    const userOf = async (
      client: Client,
      access: { readonly scopes?: readonly string[]; readonly hidden?: readonly 'pay'[] },
    ) => {
      const name = JSON.stringify(access);
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

    it('show the inbox to no API user from whom categories are hidden', async () => {
      const user = await userOf(sandbox, { hidden: ['pay'] });
      assert.equal((await app.callAs(user, 'GET', '/sandbox/clock')).status, 200);
      const { status, body } = await app.callAs(user, 'GET', '/sandbox/inbox');
      assert.deepEqual([status, body.code], [403, 'forbidden']);
    });
  });
});
