import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { operations, violations } from '../../support/operations.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const operation = operations.find(({ operationId }) => operationId === 'me_read');

forAnyApp((client, app) => {
  test('the caller is told the tenant, the API user and its limits', async () => {
    const { status, body, text } = await client.call('GET', '/me');
    assert.equal(status, 200, text);
    assert.ok(operation);
    assert.deepEqual(violations(operation, status, body), []);
    const { slug, name, timeZone, modules } = client.tenant;
    const hosts = [`${slug}.test`];
    assert.deepEqual(body.tenant, {
      slug,
      name,
      time_zone: timeZone,
      modules: [...modules].toSorted(),
      hosts,
      sandbox: 0,
    });
    const { rows } = await client.database.asOwner(client.tenant.id, async ({ kysely }) => ({
      rows: await kysely.selectFrom('api_users').select(['id', 'name']).execute(),
    }));
    const user = rows.find(({ id }) => Number(id) === body.api_user.id);
    assert.deepEqual(body.api_user, { id: Number(user?.id), name: user?.name, read_only: 0, scopes: [], hidden: [] });
    assert.deepEqual(body.limits, {
      requests: 1_000_000,
      period: 60,
      concurrency: 1_000_000,
      body: 1_048_576,
      json_depth: 64,
      url: 8192,
      filters: 50,
      filter_values: 500,
      filter_bytes: 1024,
      sort_fields: 10,
      embeds: 5,
    });
    assert.deepEqual([body.api_version, body.service_version], [version, version]);
  });

  test('what is stored about the API user and the tenant is told', async () => {
    const other = await app.newClient();
    await other.database.system
      .insertInto('tenant_hosts')
      .values({ host: `jobs-${other.tenant.id}.example`, tenant_id: other.tenant.id })
      .execute();
    const wanted = { name: 'clerk', readOnly: false, scopes: ['clients:read'], hidden: ['pay'] } as const;
    const { id } = await createApiUser(other.database, other.tenant, wanted);
    const clerk = { tenant: other.tenant, token: await app.tokenOf(other.tenant, id) };
    const { body } = await app.callAs(clerk, 'GET', '/me');
    assert.deepEqual([body.api_user.scopes, body.api_user.hidden], [['clients:read'], ['pay']]);
    assert.deepEqual(body.tenant.hosts, [`${other.tenant.slug}.test`, `jobs-${other.tenant.id}.example`]);
  });

  test('the caller is told in XML, without parameters and by GET only', async () => {
    assert.match((await client.call('GET', '/me.xml')).text, /<me>\s*<tenant>\s*<slug>/);
    const unknown = await client.call('GET', '/me?fields=tenant');
    assert.deepEqual([unknown.status, unknown.body.code], [400, 'unknown_field']);
    const post = await client.call('POST', '/me', { body: {} });
    assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD']);
    const without = await client.call('GET', '/me', { headers: { Authorization: 'none' } });
    assert.equal(without.status, 401);
  });
});
