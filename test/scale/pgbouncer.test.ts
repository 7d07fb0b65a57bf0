import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { type App, startApp } from '../support/app.ts';
import { inMemory, onServer, scratchUrl } from '../support/database.ts';
import { keepsNamedStatements, type Pooler, pgbouncerProgram, startPgbouncer } from '../support/pgbouncer.ts';

const program = pgbouncerProgram();
const missing = program === null && 'there is no pgbouncer on this machine (apt-get install pgbouncer)';
const old = program !== null && !keepsNamedStatements(program) && 'this pgbouncer is older than 1.21';

for (const prepared of [false, true])
  describe(`behind a pooler of transactions, ${prepared ? 'with' : 'without'} named statements`, {
    skip: missing || (prepared && old),
  }, () => {
    let pooler: Pooler;
    let database: Database;
    let app: App;
    let direct: string;

    before(async () => {
      direct = await scratchUrl();
      pooler = await startPgbouncer(program ?? '', direct);
      database = openDatabase({ ...inMemory, url: pooler.url, migrationUrl: direct, prepared, poolSize: 10 });
      await database.migrate();
      app = await startApp(database);
    });
    after(async () => {
      await app?.close();
      await database?.close();
      await pooler?.close();
    });

    it('tenants who share its connections read and write at once, each its own', async () => {
      const clients = await Promise.all([app.newClient(), app.newClient(), app.newClient()]);
      const responses = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          clients[index % 3]?.call('POST', '/clients', {
            headers: { 'Idempotency-Key': `key-${Math.floor(index / 6)}-${index % 3}` },
            body: { company: `Company ${index % 3}` },
          }),
        ),
      );
      for (const response of responses) assert.ok([201, 409].includes(response?.status ?? 0), response?.text);
      for (const [index, { call }] of clients.entries()) {
        const { body } = await call('GET', '/clients?embed=contacts');
        assert.equal(body.length, 10);
        assert.ok(body.every(({ company }: { company: string }) => company === `Company ${index}`));
      }
    });

    it('a listing too long for memory is whole', async () => {
      const { tenant, call } = await app.newClient();
      const text = `insert into clients (tenant_id, id, company, status) select $1, 1000 + n, 'Client ' || n, 1 from generate_series(1, 2500) n returning id as journal_id`;
      await database.asOwner(tenant.id, ({ send }) => send({ name: null, text, values: [String(tenant.id)] }));
      assert.equal((await call('GET', '/clients')).body.length, 2500);
    });

    it('nothing of a tenant stays on a connection', async () => {
      for (let turn = 0; turn < 10; turn++) {
        const { rows } = await onServer(
          `select current_user as role, current_setting('app.tenant_id', true) as tenant, current_setting('statement_timeout') as timeout`,
          pooler.url,
        );
        assert.deepEqual(
          { ...rows[0], tenant: rows[0].tenant || null },
          { role: 'postgres', tenant: null, timeout: '0' },
        );
      }
      const { rows } = await onServer('select name from pg_prepared_statements', pooler.url);
      // Named statements have the names of the pooler, which shares them among its clients.
      assert.equal(rows.length > 0, prepared);
      for (const { name } of rows) assert.match(name, /^PGBOUNCER_/);
    });
  });
