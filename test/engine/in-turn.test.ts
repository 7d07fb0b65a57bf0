import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { inMemory } from '../support/database.ts';

describe('on the embedded database, which has one connection', () => {
  const length = 5000;
  let database: Database;
  let app: App;
  let client: Client;
  let other: Client;
  before(async () => {
    database = openDatabase(inMemory);
    await database.migrate();
    app = await startApp(database);
    [client, other] = [await app.newClient(), await app.newClient()];
    const text = `insert into clients (tenant_id, id, company, status) select $1, 1000 + n, 'Client ' || n % 7, 1 from generate_series(1, ${length}) n`;
    const values = [String(client.tenant.id)];
    await database.asOwner(client.tenant.id, ({ send }) => send({ name: null, text, values }));
    await other.call('POST', '/clients', { body: { company: 'Other' } });
  });
  after(async () => {
    await app?.close();
    await database?.close();
  });

  it('other requests are served between the parts of a whole listing', async () => {
    const ended: string[] = [];
    const served = async (label: string, answer: Promise<{ status: number }>, status: number) => {
      assert.equal((await answer).status, status, label);
      ended.push(label);
    };
    const listed = served('listing', client.call('GET', '/clients'), 200);
    const nobody = { tenant: other.tenant, token: '' };
    const forged = { tenant: other.tenant, token: `${other.token}x` };
    await Promise.all([
      listed,
      served('without token', app.callAs(nobody, 'GET', '/clients'), 401),
      served('with an invalid token', app.callAs(forged, 'GET', '/clients'), 401),
      served('unknown path', other.call('GET', '/nothing'), 404),
      served('read', other.call('GET', '/clients'), 200),
      served('write', other.call('POST', '/clients', { body: { company: 'Second' } }), 201),
      served('of the same tenant', client.call('GET', '/clients?limit=1'), 200),
    ]);
    assert.equal(ended.at(-1), 'listing', ended.join());
    assert.equal(ended.length, 7);
  });

  it('a whole listing has each record once, in the order asked for', async () => {
    for (const sort of ['', 'sort=company', 'sort=-company,-id', 'fields=company&sort=company', 'embed=contacts']) {
      const { body, headers } = await client.call('GET', `/clients?count=true&${sort}`);
      assert.equal(body.length, length);
      assert.equal(headers['x-total-count'], String(length));
      const ids = new Set(body.map(({ id }: { id?: number }) => id));
      assert.equal(ids.size, sort.startsWith('fields') ? 1 : length);
      if (!sort.includes('company')) continue;
      const companies = body.map(({ company }: { company: string }) => company);
      const sorted = [...companies].sort();
      assert.deepEqual(companies, sort.includes('-company') ? sorted.reverse() : sorted);
    }
  });
});
