import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openQueue } from '../../src/automations/runner.ts';
import { updateTenant } from '../../src/domain/provision/update-tenant.ts';
import { createProcess } from '../../src/imports/process.ts';
import { endImport } from '../../src/imports/state.ts';
import { enqueueLost, sweepImports } from '../../src/imports/sweep.ts';
import { startImports } from '../../src/imports/worker.ts';
import { importParts } from '../../src/server/api.ts';
import { strictly } from '../../src/tenancy/each-tenant.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { ownDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { Importer, send } from './importer.ts';

test('an import does not wait for the time at which it was sent, if the clock is set back', async () => {
  const app = await startApp(await ownDatabase());
  await sql`create or replace function jobs.job_now() returns timestamptz language sql stable as
    $$ select pg_catalog.now() - interval '1 hour' $$`.execute(app.database.system);
  const { body: accepted } = await send(await app.newClient(), '/clients/import', [{ company: 'Early' }]);
  const queue = openQueue(app.database);
  await queue.start();
  const jobs = await queue.fetch<{ import_id: number }>('imports');
  await queue.stop({ close: false });
  await app.close();
  await app.database.close();
  assert.deepEqual(
    jobs.map(({ data }) => data.import_id),
    [accepted.id],
  );
});

describe('the worker of imports', () => {
  let app: App;
  let one: Client;
  let two: Client;

  before(async () => {
    // Of its own: imports that other tests have left would be worked off first.
    app = await startApp(await ownDatabase('postgres'));
    one = await app.newClient();
    two = await app.newClient();
  });
  after(async () => {
    await app.close();
    await app.database.close();
  });

  const parts = () => {
    const { database, files } = app;
    const cells = { defused: true, depth: 64 };
    return importParts({ database, files, cells, log: pino({ level: 'silent' }) });
  };
  const start = () => startImports(parts());

  const jobsOf = async ({ tenant }: Client): Promise<readonly number[]> => {
    const { rows } = await sql<{ id: number }>`select (data ->> 'import_id')::integer as id from jobs.job
      where name = 'imports' and data ->> 'tenant_id' = ${String(tenant.id)} and state < 'completed' order by 1`.execute(
      app.database.system,
    );
    return rows.map(({ id }) => id);
  };
  const loseJobs = ({ tenant }: Client) =>
    sql`delete from jobs.job where name = 'imports' and data ->> 'tenant_id' = ${String(tenant.id)}`.execute(
      app.database.system,
    );

  /** Waits until the import is finished, and returns it. */
  const finished = async (client: Client, id: number) => {
    const read = async () => (await client.call('GET', `/imports/${id}`)).body;
    let found = await read();
    await until(`the import ${id} is finished`, async () => {
      found = await read();
      return found.status === 'done' || found.status === 'failed';
    });
    return found;
  };

  it('processes the imports of all tenants, each tenant’s in their order, and can be stopped', {
    timeout: 120_000,
  }, async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ external_id: `W-${index}`, company: 'W' }));
    const first = await send(one, '/clients/import', rows(700));
    const second = await send(one, '/clients/import?mode=update', rows(700));
    const other = await send(two, '/clients/import', rows(3));
    const stops = [await start(), await start()];
    const done = [
      await finished(one, first.body.id),
      await finished(one, second.body.id),
      await finished(two, other.body.id),
    ];
    await Promise.all(stops.map(stop => stop()));
    assert.deepEqual(
      done.map(({ status, rows, created, unchanged }) => [status, rows, created, unchanged]),
      [
        ['done', 700, 700, 0],
        ['done', 700, 0, 700],
        ['done', 3, 3, 0],
      ],
    );
  });

  it('goes on with the imports of a tenant as soon as it is enabled, which its worker has found disabled', {
    timeout: 120_000,
  }, async () => {
    const client = await app.newClient();
    const { body: accepted } = await send(client, '/clients/import', [{ company: 'Later' }]);
    const setActive = (active: boolean) => updateTenant(app.database, client.tenant, { active }, 'test');
    await setActive(false);
    const stop = await start();
    const isDone = async () => {
      const { rows } = await sql`select from jobs.job where name = 'imports' and state = 'completed'
        and data ->> 'tenant_id' = ${String(client.tenant.id)}`.execute(app.database.system);
      return rows.length > 0;
    };
    await until('the job is completed', isDone);
    await setActive(true);
    const { status, created } = await finished(client, accepted.id);
    await stop();
    assert.deepEqual([status, created], ['done', 1]);
  });

  it('goes on with the next import if a process has ended between the end of one and the job of the next', async () => {
    const client = await app.newClient();
    const first = await send(client, '/clients/import', [{ company: 'First' }]);
    const next = await send(client, '/clients/import', [{ company: 'Next' }]);
    // The job of the next has found that it is not the oldest.
    await loseJobs(client);
    assert.ok(await endImport(first.body.id, null, null, app.database.forTenant(client.tenant)));
    // That of the first is repeated: its process has not completed it.
    await createProcess(parts())({ tenant_id: client.tenant.id, import_id: first.body.id }, () => true);
    assert.deepEqual(await jobsOf(client), [next.body.id]);
  });

  it('deletes finished imports after their time with their results, and finds those without a job again, also at its start', async () => {
    const client = await app.newClient();
    const old = await send(client, '/clients/import', [{ company: 'Old' }]);
    await new Importer(app).work(client);
    const recent = await send(client, '/clients/import', [{ company: 'Recent' }]);
    await new Importer(app).work(client);
    const lost = await send(client, '/clients/import', [{ company: 'Lost' }]);
    const jobs = async () => (await jobsOf(client)).filter(id => id === lost.body.id).length;
    assert.equal(await jobs(), 1);
    await enqueueLost(app.database, strictly);
    assert.equal(await jobs(), 1);
    await loseJobs(client);
    const backdate = (id: number, days: number) =>
      app.database.asOwner(client.tenant.id, ({ kysely }) => {
        const time = new Date(Date.now() - days * 86_400_000).toISOString();
        return kysely.updateTable('imports').set({ created_at: time, updated_at: time }).where('id', '=', id).execute();
      });
    await backdate(old.body.id, 31);
    await sweepImports(new Date(Date.now() - 30 * 86_400_000), app.database, strictly);
    await enqueueLost(app.database, strictly);
    assert.equal((await client.call('GET', `/imports/${old.body.id}`)).status, 404);
    assert.equal((await client.call('GET', `/imports/${recent.body.id}/results`)).body.length, 1);
    assert.equal(await jobs(), 1);
    // As where a process was killed between the commit and the job.
    await loseJobs(client);
    const stop = await start();
    const { created } = await finished(client, lost.body.id);
    await stop();
    assert.equal(created, 1);
  });
});
