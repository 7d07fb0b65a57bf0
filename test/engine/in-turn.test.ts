import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../src/db/open.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { openEmbedded } from '../support/database.ts';
import { replaceForTenants } from '../support/replace.ts';

describe('on the embedded database, which has one connection', () => {
  const length = 5000;
  let database: Database;
  let app: App;
  let client: Client;
  let other: Client;
  /** What happens after each part of a listing of the first client has been read, before the next one is. */
  let between: (() => Promise<void>) | null = null;
  before(async () => {
    database = await openEmbedded();
    const watched = replaceForTenants(database, db => ({
      read: async (...statements) => {
        const results = await db.read(...statements);
        if (db.tenant.id === client?.tenant.id && (results[0]?.rows.length ?? 0) > 100) await between?.();
        return results;
      },
    }));
    app = await startApp(watched);
    [client, other] = [await app.newClient(), await app.newClient()];
    const text = `insert into clients (tenant_id, id, company, status) select $1, 1000 + n, 'Client ' || n % 7, 1 from generate_series(1, ${length}) n returning id as journal_id`;
    const values = [String(client.tenant.id)];
    await database.asOwner(client.tenant.id, ({ send }) => send({ name: null, text, values }));
    await other.call('POST', '/clients', { body: { company: 'Other' } });
  });
  after(async () => {
    await app?.close();
    await database?.close();
  });

  it('other requests are served between the parts of a whole listing', async () => {
    const nobody = { tenant: other.tenant, token: '' };
    const forged = { tenant: other.tenant, token: `${other.token}x` };
    const served: number[] = [];
    between = async () => {
      const responses = await Promise.all([
        app.callAs(nobody, 'GET', '/clients'),
        app.callAs(forged, 'GET', '/clients'),
        other.call('GET', '/nothing'),
        other.call('GET', '/clients'),
        other.call('POST', '/clients', { body: { company: 'Another' } }),
      ]);
      assert.deepEqual(
        responses.map(({ status }) => status),
        [401, 401, 404, 200, 201],
      );
      served.push(responses.length);
    };
    const { status, body } = await client.call('GET', '/clients');
    between = null;
    assert.deepEqual([status, body.length], [200, length]);
    assert.ok(served.length >= length / 1000, String(served.length));
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
