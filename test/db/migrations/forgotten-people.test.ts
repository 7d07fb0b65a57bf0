import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../../src/db/open.ts';
import { ownSchema } from '../../../src/db/schema/files.ts';
import { inMemory, scratchUrl } from '../../support/database.ts';

const name = '0021-forgotten-people';

describe('the migration that marks the records of people who have been forgotten', () => {
  it('marks those with the name and status of forgetting, and enters them in the journal', async context => {
    const url = await scratchUrl();
    const migrations = ownSchema.migrations.filter(migration => migration.name < name);
    const before = openDatabase({ ...inMemory, url, schema: { ...ownSchema, migrations, definitions: [] } });
    await before.migrate();
    await before.close();
    const client = new pg.Client(url);
    await client.connect();
    context.after(() => client.end());
    await client.query(
      `insert into tenants (slug, name, time_zone, modules) values ('one', 'One', 'UTC', '[]'), ('two', 'Two', 'UTC', '[]')`,
    );
    for (const tenant of [1, 2])
      await client.query(`
        set app.tenant_id = '${tenant}';
        insert into clients (tenant_id, id, company) values (${tenant}, 1, 'Nordlicht');
        insert into contacts (tenant_id, id, client_id, firstname, lastname, status, updated_at, external_id) values
          (${tenant}, 1, 1, 'Anonymised', 'Anonymised', 2, '2026-01-02', 'C'), (${tenant}, 2, 1, 'Anonymised', 'Anonymised', 1, '2026-01-02', null),
          (${tenant}, 3, 1, null, 'Anonymised', 2, '2026-01-02', null);
        insert into employees (tenant_id, id, firstname, lastname, status, updated_at) values
          (${tenant}, 1, 'Anonymised', 'Anonymised', 6, '2026-01-03'), (${tenant}, 2, 'Robin', 'Behn', 6, '2026-01-03')`);
    await client.query(ownSchema.migrations.find(migration => migration.name === name)?.text ?? '');
    for (const tenant of [1, 2]) {
      await client.query(`set app.tenant_id = '${tenant}'`);
      const read = async (query: string) => (await client.query({ text: query, rowMode: 'array' })).rows;
      for (const [table, day] of [
        ['contacts', '2026-01-02'],
        ['employees', '2026-01-03'],
      ])
        assert.deepEqual(
          await read(`select id, forgotten_at::date::text from ${table}
            where tenant_id = ${tenant} and forgotten_at is not null`),
          [['1', day]],
        );
      assert.deepEqual(
        await read(
          `select resource, id, external_id, change, fields from journal where tenant_id = ${tenant} order by 1`,
        ),
        [
          ['contacts', '1', 'C', 'updated', ['forgotten_at']],
          ['employees', '1', null, 'updated', ['forgotten_at']],
        ],
      );
    }
  });
});
