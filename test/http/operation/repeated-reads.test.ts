import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tallies } from '../../../src/core/tally.ts';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { revokeToken } from '../../../src/tenancy/token-register.ts';
import { type ApiResponse, type App, type Client, startApp } from '../../support/app.ts';
import { forEachDatabase } from '../../support/database.ts';

const hits = (): number => new Map(tallies.cacheHits.entries()).get('responses') ?? 0;

forEachDatabase((_, getDatabase) => {
  let app: App;
  let client: Client;
  before(async () => {
    app = await startApp(getDatabase());
    client = await app.newClient();
  });
  after(() => app.close());

  const get = (path: string, headers: Record<string, string> = {}, by = client): Promise<ApiResponse> =>
    app.callAs(by, 'GET', path, { headers });

  /** Sends a request, and returns its response with whether it was a kept one. */
  const ask = async (
    path: string,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse & { readonly kept: boolean }> => {
    const earlier = hits();
    const response = await get(path, headers);
    assert.ok([200, 304].includes(response.status), `${path}: ${response.text}`);
    return { ...response, kept: hits() > earlier };
  };

  const make = async (path: string, body: object): Promise<number> => {
    const response = await client.call('POST', path, { body });
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  };

  const change = async (path: string, body: object): Promise<void> => {
    const response = await client.call('PUT', path, { body });
    assert.equal(response.status, 200, response.text);
  };

  const same = ['etag', 'link', 'x-total-count', 'content-type', 'content-encoding', 'content-length', 'cache-control'];

  test('a repeated read has the same response without its query, and headers of its own', async () => {
    const id = await make('/clients', { company: 'Lindenhof' });
    await make('/clients', { company: 'Linde' });
    const { body: forms } = await client.call('GET', '/forms');
    const paths = [
      '/clients',
      `/clients/${id}`,
      '/clients?company=~lind&sort=-company&limit=1&count=1',
      '/clients.xml?fields=id,company',
      '/clients.csv',
      '/clients.ndjson?embed=contacts',
      '/events/today',
      `/forms/${forms[0].id}/attributes`,
    ];
    for (const path of paths)
      for (const coding of ['gzip', 'identity']) {
        const first = await ask(path, { 'Accept-Encoding': coding });
        const second = await ask(path, { 'Accept-Encoding': coding });
        assert.deepEqual([first.kept, second.kept], [false, true], path);
        assert.equal(second.text, first.text, path);
        for (const name of same) assert.equal(second.headers[name], first.headers[name], `${path}: ${name}`);
        assert.notEqual(second.headers['x-request-id'], first.headers['x-request-id']);
        const [left, before] = [second, first].map(({ headers }) => Number(headers['x-rate-limit-remaining']));
        assert.equal(left, Number(before) - 1);
      }
  });

  test('pages are kept each, and lead on as before', async () => {
    for (const company of ['P1', 'P2', 'P3']) await make('/clients', { company, city: 'Pages' });
    const seen: string[][] = [];
    for (const kept of [false, true]) {
      const companies: string[] = [];
      for (let path = '/clients?city=Pages&limit=1'; path; ) {
        const response = await ask(path);
        assert.equal(response.kept, kept, path);
        companies.push(response.body[0].company);
        path = /<\/api\/v1([^>]+)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1] ?? '';
      }
      seen.push(companies);
    }
    assert.deepEqual(seen, [
      ['P1', 'P2', 'P3'],
      ['P1', 'P2', 'P3'],
    ]);
  });

  test('with If-None-Match it is 304 without a body, and HEAD has the length of the body', async () => {
    const id = await make('/clients', { company: 'Unchanged' });
    const path = `/clients/${id}`;
    const { headers } = await ask(path);
    const etag = String(headers.etag);
    const unchanged = await ask(path, { 'If-None-Match': etag });
    assert.deepEqual([unchanged.kept, unchanged.status, unchanged.text], [true, 304, '']);
    assert.equal(unchanged.headers.etag, etag);
    assert.equal((await ask(path, { 'If-None-Match': '"other"' })).status, 200);
    const head = await app.callAs(client, 'HEAD', path);
    assert.deepEqual([head.status, head.headers['content-length'], head.text], [200, headers['content-length'], '']);
    await change(path, { company: 'Changed' });
    const changed = await ask(path, { 'If-None-Match': etag });
    assert.deepEqual([changed.kept, changed.status, changed.body.company], [false, 200, 'Changed']);
    const first = await ask(path, { 'If-None-Match': String(changed.headers.etag) });
    assert.deepEqual([first.kept, first.status], [true, 304]);
  });

  test('a response ends with a change of what it is read from: its records, derived fields, embeds, filters; no other', async () => {
    const project = await make('/projects', { name: 'Before' });
    const start = '2030-06-12 10:00:00';
    const event = await make('/events', { project_id: project, name: 'E', start, end: '2030-06-12 12:00:00' });
    const paths = {
      own: `/events/${event}?fields=id,name`,
      derived: `/events/${event}?fields=id,project.name`,
      embedded: `/events/${event}?fields=id&embed=project`,
      filtered: `/events?fields=id&project.name=Before`,
    };
    const shown = async () => {
      const kept: string[] = [];
      const bodies: Record<string, unknown> = {};
      for (const [name, path] of Object.entries(paths)) {
        const response = await ask(path);
        if (response.kept) kept.push(name);
        bodies[name] = response.body;
      }
      return { kept, bodies };
    };
    await shown();
    assert.deepEqual((await shown()).kept, ['own', 'derived', 'embedded', 'filtered']);
    await make('/locations', { name: 'Elsewhere' });
    assert.deepEqual((await shown()).kept, ['own', 'derived', 'embedded', 'filtered']);
    await change(`/projects/${project}`, { name: 'After' });
    const { kept, bodies } = await shown();
    assert.deepEqual(kept, ['own']);
    const { derived, embedded, filtered } = bodies as Record<
      string,
      { readonly 'project.name': string; readonly project: { readonly name: string } }
    >;
    assert.equal(derived?.['project.name'], 'After');
    assert.equal(embedded?.project.name, 'After');
    assert.deepEqual(filtered, []);
    await change(`/events/${event}`, { name: 'F' });
    const after = await shown();
    assert.deepEqual(after.kept, []);
    assert.equal((after.bodies.own as { name: string }).name, 'F');
  });

  test('a new field is in the next response', async () => {
    const id = await make('/clients', { company: 'Fields' });
    await ask(`/clients/${id}`);
    assert.equal((await ask(`/clients/${id}`)).kept, true);
    const { body: forms } = await client.call('GET', '/forms?entity=clients');
    const body = { name: 'Colour', type: 'text' };
    const made = await client.call('POST', `/forms/${forms[0].id}/attributes`, { body });
    assert.equal(made.status, 201, made.text);
    const { kept, body: shown } = await ask(`/clients/${id}`);
    assert.equal(kept, false);
    assert.ok(Object.hasOwn(shown, `dynamic_field_${made.body.id}`));
  });

  test('what the journal does not have, what depends on the moment, and envelopes are read each time', async () => {
    const id = await make('/clients', { company: 'Moments' });
    const paths = ['/imports', '/events/gaps', '/events/upcoming', '/assignments/open', `/clients/${id}?envelope=true`];
    for (const path of paths) for (const _ of [1, 2]) assert.equal((await ask(path)).kept, false, path);
  });

  test('no other tenant and no API user with less access is sent a kept response', async () => {
    const path = `/employees?fields=id`;
    await ask(path);
    assert.equal((await ask(path)).kept, true);
    const other = await app.newClient();
    assert.notEqual((await get(path, {}, other)).headers.etag, (await get(path)).headers.etag);
    const limited = async (access: object): Promise<Client> => {
      const name = JSON.stringify(access);
      const { id } = await createApiUser(client.database, client.tenant, { name, readOnly: false, ...access });
      return { ...client, token: await app.tokenOf(client.tenant, id) };
    };
    assert.equal((await get(path, {}, await limited({ scopes: ['clients:read'] }))).status, 403);
    const sorted = '/employees?limit=1&sort=birthday';
    await ask(sorted);
    assert.equal((await ask(sorted)).kept, true);
    const masked = await get(sorted, {}, await limited({ hidden: ['personal'] }));
    assert.equal(masked.status, 400, masked.text);
  });

  /** Repeats a request until its response has that status. */
  const until = async (status: number, by: Client, path: string): Promise<void> => {
    for (let left = 100_000; (await get(path, {}, by)).status !== status; left--) assert.ok(left > 0, `no ${status}`);
  };

  test('a revoked token and a disabled tenant are rejected, whatever is kept', async () => {
    const own = await app.newClient();
    for (const _ of [1, 2]) assert.equal((await get('/clients', {}, own)).status, 200);
    const { jti } = JSON.parse(Buffer.from(String(own.token.split('.')[1]), 'base64url').toString());
    await revokeToken(own.database, jti);
    await until(401, own, '/clients');
    const disabled = await app.newClient();
    for (const _ of [1, 2]) assert.equal((await get('/clients', {}, disabled)).status, 200);
    const { id } = disabled.tenant;
    await app.database.system.updateTable('tenants').set({ active: false }).where('id', '=', id).execute();
    await until(403, disabled, '/clients');
  });
});
