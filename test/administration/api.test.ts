import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forAnyDatabase } from '../support/database.ts';
import { type AdministrationServer, startAdministration } from './server.ts';

forAnyDatabase((_, getDatabase) => {
  describe('the administration API', () => {
    let server: AdministrationServer;
    let operator: string;
    before(async () => {
      server = await startAdministration(getDatabase());
      operator = await server.issue();
    });
    after(() => server.close());

    test('creates a tenant, an API user and a token, which works until it is revoked', async () => {
      const slug = `new-${process.pid}-${Date.now()}`;
      const created = await server.call(operator, 'POST', '/tenants', { slug, modules: ['billing'] });
      assert.equal(created.status, 201, created.text);
      const { id, ...tenant } = created.body;
      assert.deepEqual(tenant, {
        slug,
        name: slug,
        hosts: [`${slug}.test`],
        time_zone: 'Europe/Berlin',
        modules: ['billing'],
        rate_limit: null,
        sandbox: false,
        active: true,
      });
      const at = `/tenants/${slug}`;
      const user = await server.call(operator, 'POST', `${at}/api-users`, {
        name: ' payroll ',
        scopes: ['clients:read'],
      });
      assert.equal(user.status, 201, user.text);
      assert.equal(user.body.name, 'payroll');
      const issued = await server.call(operator, 'POST', `${at}/api-users/${user.body.id}/tokens`, {
        expires_in: '30d',
      });
      assert.equal(issued.status, 201, issued.text);
      const { token, jti } = issued.body;
      const headers = { Host: `${slug}.test`, Authorization: `Bearer ${token}` };
      const read = await server.app.send('GET', '/clients', headers);
      assert.equal(read.status, 200, read.text);
      assert.equal((await server.app.send('GET', '/employees', headers)).status, 403);
      assert.equal((await server.app.send('GET', '/employes', headers)).status, 404);
      assert.equal((await server.app.send('GET', '/openapi.yaml', headers)).status, 200);

      await server.activity.flush();
      const [listed] = (await server.call(operator, 'GET', `${at}/tokens`)).body;
      assert.equal(listed.jti, jti);
      assert.match(listed.last_used_at, /^20/);
      assert.ok(!JSON.stringify(listed).includes(token));

      const revoked = await server.call(operator, 'POST', `${at}/tokens/${jti}/revoke`);
      assert.equal(revoked.status, 200, revoked.text);
      let status = 200;
      const until = performance.now() + 30_000;
      while (status === 200 && performance.now() < until)
        status = (await server.app.send('GET', '/clients', headers)).status;
      assert.equal(status, 401);

      const usage = await server.call(operator, 'GET', `${at}/usage`);
      assert.deepEqual(
        usage.body.map(({ day: _, ...row }: { day: string }) => row),
        [
          { api_user_id: user.body.id, api_user: 'payroll', class: 'list', requests: 2, refused: 1 },
          { api_user_id: user.body.id, api_user: 'payroll', class: 'read', requests: 1, refused: 0 },
          { api_user_id: user.body.id, api_user: 'payroll', class: 'unknown', requests: 1, refused: 1 },
        ],
      );
      const refused = await server.call(operator, 'GET', `${at}/refused-requests`);
      const [, { operation, status: refusedStatus, code, api_user }] = refused.body;
      assert.deepEqual([operation, refusedStatus, code, api_user], ['employees_list', 403, 'scope_missing', 'payroll']);
      assert.equal(id > 0, true);
    });
  });
});
