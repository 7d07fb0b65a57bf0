import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../../src/db/open.ts';
import { ownSchema } from '../../../src/db/schema/files.ts';
import { inMemory, scratchUrl } from '../../support/database.ts';

const name = '0024-collections';

describe('the migration of collections', () => {
  it('makes identifiers unique and keeps one default language, and enters what it changes in the journal', async context => {
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
        insert into collections (tenant_id, id, name) values (${tenant}, 1, 'Sizes'), (${tenant}, 2, 'Others');
        insert into collection_values (tenant_id, id, collection_id, identifier, name, deleted) values
          (${tenant}, 1, 1, 'm', 'Deleted', true), (${tenant}, 2, 1, 'm', 'First', false), (${tenant}, 3, 1, 'm-2', 'Taken', false),
          (${tenant}, 4, 1, 'm', 'Second', false), (${tenant}, 5, 1, 'm', 'Third', false), (${tenant}, 6, 2, 'm', 'Other', false),
          (${tenant}, 7, 1, null, 'None', false), (${tenant}, 8, 1, null, 'None', false);
        insert into forms (tenant_id, id, identifier, name, entity) values
          (${tenant}, 1, 'f', 'A', 'clients'), (${tenant}, 2, 'f', 'B', 'clients'), (${tenant}, 3, null, 'C', 'clients'), (${tenant}, 4, null, 'D', 'clients');
        insert into languages (tenant_id, id, name, is_default) values
          (${tenant}, 1, 'A', false), (${tenant}, 2, 'B', true), (${tenant}, 3, 'C', true), (${tenant}, 4, 'D', true)`);
    await client.query(ownSchema.migrations.find(migration => migration.name === name)?.text ?? '');
    for (const tenant of [1, 2]) {
      await client.query(`set app.tenant_id = '${tenant}'`);
      const read = async (query: string) => (await client.query({ text: query, rowMode: 'array' })).rows.flat();
      assert.deepEqual(await read(`select identifier from collection_values where tenant_id = ${tenant} order by id`), [
        ...['m', 'm', 'm-2', 'm-3', 'm-4', 'm'],
        ...[null, null],
      ]);
      assert.deepEqual(await read(`select identifier from forms where tenant_id = ${tenant} order by id`), [
        ...['f', 'f-2'],
        ...[null, null],
      ]);
      assert.deepEqual(await read(`select id from languages where tenant_id = ${tenant} and is_default`), ['2']);
      assert.deepEqual(
        await read(
          `select resource || ' ' || id from journal where tenant_id = ${tenant} and change = 'updated' order by resource, id`,
        ),
        ['collection-values 4', 'collection-values 5', 'forms 2', 'languages 3', 'languages 4'],
      );
    }
  });
});
