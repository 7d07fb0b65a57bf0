import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Tenant } from '../../src/core/principal.ts';
import { modules } from '../../src/core/resource/modules.ts';
import type { Database } from '../../src/db/open.ts';
import { fillDemoFiles } from '../../src/demo/files.ts';
import { type Demo, fillDemo } from '../../src/demo/fill.ts';
import { generateDemo } from '../../src/demo/generate.ts';
import { resetSandbox } from '../../src/demo/sandbox/reset.ts';
import { createTenant } from '../../src/domain/provision/provision.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { forAnyDatabase } from '../support/database.ts';

/** What differs between two tenants with the same data: moments, tokens, and the order in which changes were numbered. */
const changing = [
  'created_at',
  'updated_at',
  'requested_at',
  'at',
  'event_id',
  'version',
  'path',
  'last_active_at',
  'sequence',
];
/** What a reset keeps, or replaces by another. */
const kept = ['api_users', 'tokens', 'webhook_secrets', 'journal', 'journal_heads', 'id_blocks'];

/** Tables of what is found anew, with new ids. */
const found = ['conflicts', 'conflict_people', 'conflict_progress'];

/** Returns the rows of each of the tenant's tables, in the same order whenever they are the same. */
const contents = ({ asOwner }: Database, { id }: Tenant): Promise<Record<string, readonly string[]>> =>
  asOwner(id, async ({ system }) => {
    const { rows: tables } = await sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by 1`.execute(system);
    const byTable: Record<string, readonly string[]> = {};
    for (const { name } of tables.filter(({ name }) => ![...kept, ...found].includes(name))) {
      const { rows } = await sql<{ row: string }>`
        select (to_jsonb(t) - ${`{${changing}}`}::text[])::text as row from ${sql.id(name)} t
        where tenant_id = ${id} order by 1`.execute(system);
      byTable[name] = rows.map(({ row }) => row);
    }
    return byTable;
  });

forAnyDatabase((name, getDatabase) => {
  describe('a reset of a sandbox', () => {
    let database: Database;
    let app: App;
    let demo: Demo;
    let first: Record<string, readonly string[]>;
    let client: Pick<Client, 'tenant' | 'token'>;
    const call: Client['call'] = (...asked) => app.callAs(client, ...asked);

    before(async () => {
      database = getDatabase();
      app = await startApp(database);
      const slug = `sandbox-${process.pid}-${name}`;
      demo = await fillDemo(database, { size: 'small', baseDomain: 'test', slug, sandbox: true });
      await fillDemoFiles(database, app.files, demo);
      first = await contents(database, demo.tenant);
      client = { tenant: demo.tenant, token: await app.tokenOf(demo.tenant, demo.apiUser.id) };
    });
    test.after(() => app.close());

    test('brings back what a new one has, with the same ids, and ids that follow are new', async () => {
      const body = { company: 'Lindenhof' };
      const { body: added } = await call('POST', '/clients', { body, headers: { 'Idempotency-Key': 'once' } });
      await call('POST', '/projects', { body: { name: 'P', client_id: added.id } });
      await call('PUT', '/clients/7', { body });
      await call('PUT', '/assignments/4715/status', { body: { status: 6 } });
      await call('POST', '/files', { body: Buffer.from('more'), headers: { 'X-File-Name': 'more.txt' } });
      assert.equal((await call('DELETE', '/checkins/9001')).status, 204);
      assert.notDeepEqual(await contents(database, demo.tenant), first);
      await resetSandbox(database, demo.tenant, app.files);
      const again = await contents(database, demo.tenant);
      for (const [table, rows] of Object.entries(first)) assert.deepEqual(again[table], rows, table);
      assert.ok(Object.values(first).flat().length > 10_000);
      const { body: next } = await call('POST', '/clients', { body, headers: { 'Idempotency-Key': 'once' } });
      assert.ok(next.id > added.id, 'an id that was in use is not given again, and the kept response is gone');
      const files = (await call('GET', '/files?fields=id,name')).body as { id: number; name: string }[];
      for (const { id } of files) assert.equal((await call('GET', `/files/${id}/content`)).status, 200);
    });

    test('lets cursors of the changes expire, and who waits for a change learns it', async () => {
      const { next } = (await call('GET', '/changes?after=now')).body;
      const waiting = call('GET', `/changes?after=${next}&wait=30`);
      await resetSandbox(database, demo.tenant, app.files);
      for (const response of [await waiting, await call('GET', `/changes?after=${next}`)])
        assert.deepEqual([response.status, response.body.code], [410, 'cursor_expired']);
      const { changes } = (await call('GET', '/changes?limit=1000')).body;
      assert.equal(changes.length, 1000);
      assert.ok(changes.every(({ change }: { change: string }) => change === 'created'));
    });

    test('has no record with an id that a server has claimed before, also on a day with more records', async () => {
      const { status, body } = await call('POST', '/assignment-wages', {
        body: { assignment_id: 4712, payable_amount: 1 },
      });
      assert.equal(status, 201);
      // The day of a year with the most wages.
      const most = generateDemo('small', '2027-06-09', 'Europe/Berlin').assignment_wages;
      assert.ok(body.id > Number(most?.length), `${body.id}`);
      assert.equal((await call('DELETE', `/assignment-wages/${body.id}`)).status, 204);
    });

    test('is for sandboxes only, and leaves other tenants as they are', async () => {
      const slug = `live-${process.pid}-${name}`;
      const live = await createTenant(
        database,
        { slug, name: slug, timeZone: 'Europe/Berlin', modules, hosts: [] },
        'test',
      );
      const filled = await fillDemo(database, { size: 900, baseDomain: 'test', slug });
      const before = await contents(database, live);
      await assert.rejects(resetSandbox(database, filled.tenant, app.files), {
        name: 'InputError',
        message: `Tenant ${slug} is not a sandbox: only a sandbox can be reset`,
      });
      await assert.rejects(resetSandbox(database, { ...filled.tenant, sandbox: true }, app.files), /is not a sandbox/);
      await resetSandbox(database, demo.tenant, app.files);
      assert.deepEqual(await contents(database, live), before);
    });
  });
});
