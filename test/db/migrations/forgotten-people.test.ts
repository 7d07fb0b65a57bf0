import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../support/earlier-schema.ts';

describe('the migration that marks the records of people who have been forgotten', () => {
  it('marks those with the name and status of forgetting, and enters them in the journal', async context => {
    const { client, forEachTenant, read, apply } = await databaseBefore(context, '0021-forgotten-people');
    await forEachTenant(tenant =>
      client.query(`
        insert into clients (tenant_id, id, company) values (${tenant}, 1, 'Nordlicht');
        insert into contacts (tenant_id, id, client_id, firstname, lastname, status, updated_at, external_id) values
          (${tenant}, 1, 1, 'Anonymised', 'Anonymised', 2, '2026-01-02', 'C'), (${tenant}, 2, 1, 'Anonymised', 'Anonymised', 1, '2026-01-02', null),
          (${tenant}, 3, 1, null, 'Anonymised', 2, '2026-01-02', null);
        insert into employees (tenant_id, id, firstname, lastname, status, updated_at) values
          (${tenant}, 1, 'Anonymised', 'Anonymised', 6, '2026-01-03'), (${tenant}, 2, 'Robin', 'Behn', 6, '2026-01-03')`),
    );
    await apply();
    await forEachTenant(async () => {
      for (const [table, day] of [
        ['contacts', '2026-01-02'],
        ['employees', '2026-01-03'],
      ])
        assert.deepEqual(
          await read(`select id, forgotten_at::date::text from ${table}
            where forgotten_at is not null`),
          [['1', day]],
        );
      assert.deepEqual(await read(`select resource, id, external_id, change, fields from journal order by 1`), [
        ['contacts', '1', 'C', 'updated', ['forgotten_at']],
        ['employees', '1', null, 'updated', ['forgotten_at']],
      ]);
    });
  });
});
