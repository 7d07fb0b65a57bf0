import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../support/earlier-schema.ts';

describe('the migration that makes external ids of projects and wage profiles unique', () => {
  it('keeps one that is not unique on the oldest record, names the others and enters them in the journal', async context => {
    const { client, forEachTenant, read, apply } = await databaseBefore(context, '0016-unique-external-ids');
    const warnings: string[] = [];
    client.on('notice', ({ message }) => warnings.push(message ?? ''));
    await forEachTenant(tenant =>
      client.query(`
        insert into projects (tenant_id, id, name, external_id, created_at) values
          (${tenant}, 1, 'Later', 'P', '2026-02-01'), (${tenant}, 2, 'Oldest', 'P', '2026-01-01'),
          (${tenant}, 3, 'Same time', 'P', '2026-01-01'), (${tenant}, 4, 'Own', 'Q', '2026-03-01'), (${tenant}, 5, 'None', null, '2026-03-01');
        insert into wage_profiles (tenant_id, id, name, external_id) values (${tenant}, 1, 'A', 'W'), (${tenant}, 2, 'B', 'W')`),
    );
    await apply();
    await forEachTenant(async tenant => {
      assert.deepEqual(await read(`select id, external_id from projects order by id`), [
        ['1', null],
        ['2', 'P'],
        ['3', null],
        ['4', 'Q'],
        ['5', null],
      ]);
      assert.deepEqual(await read(`select id, external_id from wage_profiles order by id`), [
        ['1', 'W'],
        ['2', null],
      ]);
      assert.deepEqual(await read(`select resource, id, change from journal order by resource, id`), [
        ['projects', '1', 'updated'],
        ['projects', '3', 'updated'],
        ['wage-profiles', '2', 'updated'],
      ]);
      await assert.rejects(
        client.query(`insert into projects (tenant_id, id, name, external_id) values (${tenant}, 9, 'Again', 'P')`),
        { code: '23505' },
      );
    });
    assert.equal(warnings.length, 6);
    assert.match(warnings[0] ?? '', /Tenant one: the external id "P" of the record [13] of projects .* record 2 /);
  });
});
