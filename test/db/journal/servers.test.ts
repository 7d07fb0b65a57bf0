import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import { renewStatement } from '../../../src/attributes/registration.ts';
import { createTenantFields, versionStatement } from '../../../src/attributes/tenant-fields.ts';
import { followJournal } from '../../../src/automations/follow.ts';
import type { TenantDb } from '../../../src/db/database.ts';
import { readJournal } from '../../../src/db/journal/read.ts';
import { JournalServers } from '../../../src/db/journal/renewal.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { generateKeySet, parseKeySet } from '../../../src/tenancy/keys.ts';
import { automate, deliveriesOf } from '../../automations/scene.ts';
import { type App, type Client, startApp } from '../../support/app.ts';
import { forEachDatabase, inMemory, newTenant, onServer } from '../../support/database.ts';
import { startProxy } from '../../support/proxies/proxy.ts';
import { copyRows, startServer } from '../../support/two-servers.ts';
import { until } from '../../support/until.ts';

/** A server, and one that has given more transaction ids. */
let servers: Readonly<Record<'behind' | 'ahead', () => Promise<string>>>;
before(async () => {
  const [behind, ahead] = await Promise.all([startServer(), startServer(20_000)]);
  servers = { behind, ahead };
});

/** Writes on the server that the data were moved to. */
const writes = 41;

/** The server that the data are moved to, and whether it says which one it is. */
const cases = [
  ['that has given fewer transaction ids', ['ahead', 'behind'], true],
  ['that has given more transaction ids', ['behind', 'ahead'], true],
  ['that has given fewer transaction ids and does not say which it is', ['ahead', 'behind'], false],
] as const;

for (const [which, [old, other], isNamed] of cases)
  describe(`data moved to a server ${which}`, () => {
    const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
    const closing: (() => Promise<void>)[] = [];
    const urls = { old: '', new: '' };
    let proxy: Awaited<ReturnType<typeof startProxy>>;
    /** An instance that is not restarted, behind what sends it to one server and then to the other. */
    let lasting: App;

    const open = (url: string): Database => {
      const database = openDatabase({ ...inMemory, url });
      closing.push(() => database.close());
      return database;
    };
    const serve = async (database: Database): Promise<App> => {
      const app = await startApp(database, { keys });
      closing.push(() => app.close());
      return app;
    };
    const as = (client: Client, app: App, database: Database): Client => ({
      ...client,
      database,
      call: (method, path, options) => app.callAs(client, method, path, options),
    });
    const company = (client: Client, name: string) => client.call('POST', '/clients', { body: { company: name } });
    const cursorOf = async (client: Client) => (await client.call('GET', '/changes?after=now')).body.next as string;
    const following = (client: Client, cursor: string, more = '') =>
      client.call('GET', `/changes?limit=1000&after=${cursor}${more}`);

    const clients: Record<'restored' | 'moved' | 'unnumbered' | 'followed' | 'failed', Client> = {} as never;
    const cursors: Record<string, string> = {};

    before(async () => {
      [urls.old, urls.new] = await Promise.all([servers[old](), servers[other]()]);
      if (!isNamed)
        for (const url of Object.values(urls))
          await onServer('revoke execute on function pg_control_system() from public', url);
      const database = open(urls.old);
      proxy = await startProxy(urls.old, (client, upstream) => {
        client.pipe(upstream);
        upstream.pipe(client);
      });
      closing.push(() => proxy.close());
      const through = open(proxy.url);
      lasting = await serve(through);
      const app = await serve(database);
      for (const name of ['restored', 'moved', 'unnumbered', 'followed'] as const) {
        clients[name] = await app.newClient();
        if (name === 'followed') await automate(clients[name], ['record.changed', { resource: ['clients'] }]);
        await company(clients[name], 'A');
        if (name !== 'unnumbered') cursors[name] = await cursorOf(clients[name]);
      }
      clients.failed = as(await lasting.newClient(), lasting, through);
      await company(clients.failed, 'A');
      cursors.failed = await cursorOf(clients.failed);
      await clients.failed.call('GET', '/clients');
      await copyRows(urls.old, urls.new);
      // Written, read and acknowledged after the copy: lost.
      await company(clients.failed, 'lost');
      assert.match((await clients.failed.call('GET', '/clients')).text, /lost/);
    });

    after(async () => {
      for (const close of closing.reverse()) await close();
    });

    const moved = async (name: keyof typeof clients): Promise<Client> => {
      const database = open(urls.new);
      return as(clients[name], await serve(database), database);
    };

    it('has expired cursors, all entries with gapless positions, and every later change', async () => {
      const client = await moved('restored');
      assert.equal((await following(client, cursors.restored ?? '')).body.code, 'cursor_expired');
      const from = await cursorOf(client);
      for (let n = 0; n < writes; n++) assert.equal((await company(client, `B${n}`)).status, 201);
      const { body } = await following(client, from, '&resource=clients');
      assert.deepEqual([body.changes.length, body.caught_up], [writes, 1]);
      const all = (await client.call('GET', '/changes?limit=1000')).body.changes as { position: number }[];
      assert.deepEqual(
        all.map(({ position }) => position),
        all.map((_, index) => index + 1),
      );
    });

    it('has entries that had no position there, before those that are written here', async () => {
      const client = await moved('unnumbered');
      await company(client, 'B');
      const { body } = await client.call('GET', '/changes?limit=1000&resource=clients');
      assert.deepEqual(body.changes.map(({ id, change }: { id: number; change: string }) => [id, change]).length, 2);
      assert.equal(body.caught_up, 1);
    });

    it('keeps cursors if it is said that nothing was lost, with every later change', async () => {
      const client = await moved('moved');
      await client.database.renewJournal(client.tenant.id, { moved: true });
      await company(client, 'B');
      const { status, body } = await following(client, cursors.moved ?? '', '&resource=clients');
      assert.deepEqual([status, body.changes?.length, body.caught_up], [200, 1, 1]);
    });

    it('triggers automations by every later change', async () => {
      const client = await moved('followed');
      const [automation] = (await client.call('GET', '/automations')).body as { id: number }[];
      const fields = createTenantFields(resources);
      const follow = () => followJournal(client.database.forTenant(client.tenant), fields);
      await follow();
      const known = (await deliveriesOf(client, automation?.id ?? 0)).length;
      for (const name of ['B', 'C', 'D']) await company(client, name);
      await follow();
      await follow();
      assert.equal((await deliveriesOf(client, automation?.id ?? 0)).length - known, 3);
    });

    it('has no reply of the old server, and rejects requests that wait, in an instance that keeps running', async () => {
      const client = clients.failed;
      const waiting = following(client, await cursorOf(client), '&wait=30');
      await until('the request waits', () => lasting.database.wakeups.waiting);
      proxy.redirect(urls.new);
      let again = await client.call('GET', '/clients');
      await until('the new server responds', async () => {
        if (again.status === 503) again = await client.call('GET', '/clients');
        return again.status !== 503;
      });
      assert.doesNotMatch(again.text, /lost/);
      if (!isNamed) await company(client, 'B');
      assert.equal((await waiting).body.code, 'cursor_expired');
      assert.equal((await following(client, cursors.failed ?? '')).body.code, 'cursor_expired');
    });
  });

forEachDatabase((_, getDatabase) => {
  /** Adds entries without a position, as another server has written them: all but the first with ids that are not given here yet. */
  const written = async (count: number): Promise<TenantDb> => {
    const tenant = await newTenant(getDatabase());
    await getDatabase().asOwner(tenant.id, ({ send }) =>
      send({
        name: null,
        // Not from a query, whose rows Citus copies.
        text: `insert into journal (tenant_id, transaction, resource, id, change, fields, by_type) values ${Array.from(
          { length: count },
          (_, index) =>
            `($1, '${index === 0 ? 5 : 3_999_999_999 - index}', 'clients', ${index + 1}, 'created', '{}', 'system')`,
        ).join()}`,
        values: [String(tenant.id)],
      }),
    );
    return getDatabase().forTenant(tenant);
  };
  const query = { after: null, resources: ['clients'], changes: ['created'], limit: 20_000 };
  const transactionsOf = async (db: TenantDb) => {
    const text = 'select distinct transaction from journal where tenant_id = $1 order by 1';
    const [found] = await db.read({ name: null, text, values: [String(db.tenant.id)] });
    return found?.rows.flat();
  };

  test('entries of another server are numbered in their sequence, however many, and become the first of this one', async () => {
    const db = await written(11_000);
    const { entries, caughtUp } = await readJournal(query, db);
    // Not compared as a whole: the difference of two such lists takes minutes to write.
    assert.equal(entries.length, 11_000);
    assert.ok(entries.every(({ position, id }, index) => position === index + 1 && id === position));
    assert.equal(caughtUp, true);
    assert.deepEqual(await transactionsOf(db), ['3', '5']);
  });

  test('a journal that several find at once is renewed with one epoch', async () => {
    const db = await written(20);
    const owner = new JournalServers((id, work) => getDatabase().asOwner(id, work));
    const others = [owner, new JournalServers((id, work) => getDatabase().asOwner(id, work))];
    await Promise.all(others.map(each => each.renew(db.tenant.id)));
    const { next } = await readJournal(query, db);
    assert.equal((await readJournal({ ...query, after: next }, db)).entries.length, 0);
    assert.deepEqual(await transactionsOf(db), ['3', '5']);
  });

  test('a renewal ends what was kept of the tenant', async () => {
    const db = await written(1);
    await db.transaction(transaction => transaction.send(renewStatement(db.tenant.id)));
    const { results, snapshot, server } = await db.readAt(versionStatement(db.tenant.id));
    const earlier = { version: String(results[0]?.rows[0]?.[0]), snapshot, server, resources: ['clients'] };
    assert.equal(await getDatabase().holds(db.tenant.id, earlier), true);
    await getDatabase().renewJournal(db.tenant.id, { moved: true });
    assert.equal(await getDatabase().holds(db.tenant.id, earlier), false);
  });
});
