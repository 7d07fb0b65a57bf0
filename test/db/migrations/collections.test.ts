import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../support/earlier-schema.ts';

describe('the migration of collections', () => {
  it('makes identifiers unique and keeps one default language, and enters what it changes in the journal', async context => {
    const { client, forEachTenant, read, apply } = await databaseBefore(context, '0024-collections');
    await forEachTenant(tenant =>
      client.query(`
        insert into collections (tenant_id, id, name) values (${tenant}, 1, 'Sizes'), (${tenant}, 2, 'Others');
        insert into collection_values (tenant_id, id, collection_id, identifier, name, deleted) values
          (${tenant}, 1, 1, 'm', 'Deleted', true), (${tenant}, 2, 1, 'm', 'First', false), (${tenant}, 3, 1, 'm-2', 'Taken', false),
          (${tenant}, 4, 1, 'm', 'Second', false), (${tenant}, 5, 1, 'm', 'Third', false), (${tenant}, 6, 2, 'm', 'Other', false),
          (${tenant}, 7, 1, null, 'None', false), (${tenant}, 8, 1, null, 'None', false);
        insert into forms (tenant_id, id, identifier, name, entity) values
          (${tenant}, 1, 'f', 'A', 'clients'), (${tenant}, 2, 'f', 'B', 'clients'), (${tenant}, 3, null, 'C', 'clients'), (${tenant}, 4, null, 'D', 'clients');
        insert into languages (tenant_id, id, name, is_default) values
          (${tenant}, 1, 'A', false), (${tenant}, 2, 'B', true), (${tenant}, 3, 'C', true), (${tenant}, 4, 'D', true)`),
    );
    await apply();
    await forEachTenant(async () => {
      assert.deepEqual(await read('select identifier from collection_values order by id'), [
        ...[['m'], ['m'], ['m-2'], ['m-3'], ['m-4'], ['m']],
        ...[[null], [null]],
      ]);
      assert.deepEqual(await read('select identifier from forms order by id'), [['f'], ['f-2'], [null], [null]]);
      assert.deepEqual(await read('select id from languages where is_default'), [['2']]);
      assert.deepEqual(await read(`select resource, id from journal where change = 'updated' order by resource, id`), [
        ['collection-values', '4'],
        ['collection-values', '5'],
        ['forms', '2'],
        ['languages', '3'],
        ['languages', '4'],
      ]);
    });
  });
});
