import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { readLog } from '../../src/tenancy/administration-log.ts';
import { type AdministrationServer, startAdministration } from '../administration/server.ts';
import { anyDatabase } from '../support/database.ts';

let server: AdministrationServer;
const database = await anyDatabase();
before(async () => {
  server = await startAdministration(database);
});
after(() => server.close());

const staffing = async (...args: string[]) => {
  const out: string[] = [];
  const note: string[] = [];
  const status = await run(args, {
    environment: { BASE_DOMAIN: 'test' },
    out: line => out.push(line),
    note: line => note.push(line),
    open: () => ({ ...database, close: async () => {} }),
  });
  return { status, out: out.join('\n'), note: note.join('\n') };
};
const json = async (...args: string[]) => {
  const { status, out, note } = await staffing(...args, '--json');
  assert.equal(status, 0, note);
  return JSON.parse(out);
};

describe('administration-token', () => {
  test('issues, lists and revokes tokens of operators and of administrators of one tenant', async () => {
    const { slug } = await server.newTenant();
    const operator = await json('administration-token', 'issue', 'Ada', '--expires', '1d');
    const own = await json('administration-token', 'issue', 'Bob', '--tenant', slug);
    const me = async (token: string) => (await server.call(token, 'GET', '/me')).body;
    assert.deepEqual(await me(operator.token), {
      id: operator.id,
      name: 'Ada',
      role: 'operator',
      tenant: null,
      expires_at: operator.expires_at,
    });
    assert.deepEqual([(await me(own.token)).role, (await me(own.token)).tenant], ['tenant', slug]);
    const listed = await json('administration-token', 'list');
    assert.deepEqual(
      listed
        .filter(({ id }: { id: string }) => [operator.id, own.id].includes(id))
        .map(({ name, tenant, revoked_at }: Record<string, unknown>) => [name, tenant, revoked_at])
        .sort(),
      [
        ['Ada', null, null],
        ['Bob', slug, null],
      ],
    );
    // Its secret can contain underscores as well.
    const secret = own.token.slice(`adm_${own.id}_`.length);
    assert.ok(secret.length > 20 && !JSON.stringify(listed).includes(secret));
    assert.equal((await staffing('administration-token', 'revoke', own.id)).status, 0);
    assert.equal((await me(own.token)).code, 'token_revoked');
    const { status, note } = await staffing('administration-token', 'revoke', 'none');
    assert.equal(status, 1);
    assert.match(note, /There is no administration token "none"/);
    assert.equal((await staffing('administration-token', 'issue', 'x', '--tenant', 'nobody')).status, 1);
  });
});

describe('the command line', () => {
  test('prints what the administration API returns', async () => {
    const operator = await server.issue();
    const get = async (path: string) => (await server.call(operator, 'GET', path)).body;
    const { slug } = await server.newTenant();
    await staffing('api-user', 'create', slug, 'reader', '--read-only', '--hide', 'pay');
    await staffing('token', 'issue', slug, 'reader');
    assert.deepEqual(await json('tenant', 'list'), await get('/tenants'));
    assert.deepEqual(await json('tenant', 'update', slug, '--name', 'New'), await get(`/tenants/${slug}`));
    assert.deepEqual(await json('api-user', 'list', slug), await get(`/tenants/${slug}/api-users`));
    assert.deepEqual(await json('token', 'list', slug), await get(`/tenants/${slug}/tokens`));
    assert.deepEqual(await json('webhook-secret', 'show', slug), await get(`/tenants/${slug}/webhook-secret`));
    assert.deepEqual(await json('api-user', 'disable', slug, 'reader'), (await get(`/tenants/${slug}/api-users`))[0]);
    assert.equal((await json('api-user', 'enable', slug, 'reader')).active, true);
    assert.deepEqual((await json('administration-log', '--limit', '3')).length, 3);
  });

  test('enters what it does in the administration log', async () => {
    const { slug } = await server.newTenant();
    await staffing('api-user', 'create', slug, 'one');
    await staffing('api-user', 'create', slug, 'one');
    await staffing('token', 'issue', slug, 'one');
    await staffing('tenant', 'disable', slug);
    const acts = (await readLog(database, { limit: 20 })).filter(({ tenant }) => tenant === slug);
    assert.deepEqual(
      acts.map(({ administrator, operation, status, address }) => [administrator, operation, status, address]),
      [
        ['command line', 'tenants_disable', 200, null],
        ['command line', 'apiUsers_issueToken', 200, null],
        ['command line', 'apiUsers_create', 422, null],
        ['command line', 'apiUsers_create', 200, null],
      ],
    );
  });

  test('rejects the tokens of a disabled API user', async () => {
    const tenant = await server.newTenant();
    const { id } = await json('api-user', 'create', tenant.slug, 'one');
    const headers = {
      Host: `${tenant.slug}.test`,
      Authorization: `Bearer ${await server.app.tokenOf(tenant, id)}`,
    };
    await json('api-user', 'disable', tenant.slug, 'one');
    assert.equal((await server.app.send('GET', '/clients', headers)).status, 401);
  });
});
