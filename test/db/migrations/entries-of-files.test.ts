import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../support/earlier-schema.ts';

describe('the migration of entries of files', () => {
  it('marks those of private files with whose these are, and those of files of exports', async context => {
    const { client, forEachTenant, read, finish } = await databaseBefore(context, '0042-entries-of-files');
    await forEachTenant(tenant =>
      client.query(`
        insert into api_users (tenant_id, id, name) values (${tenant}, 7, 'a');
        insert into files (tenant_id, id, path, name, mime, user_id, visibility, size)
          select ${tenant}, n, 'p' || n, 'a', 'text/plain', 7, case when n = 2 then 'public' else 'private' end, 1
          from generate_series(1, 3) n;
        insert into pay_runs (tenant_id, id, name, period_start, period_end) values (${tenant}, 1, 'a', '2026-01-01', '2026-01-31');
        insert into payroll_formats (tenant_id, id, name, cells) values (${tenant}, 1, 'a', '[]');
        insert into payroll_exports (tenant_id, id, pay_run_id, payroll_format_id, file_id, sha256, lines, totals, created_by)
          values (${tenant}, 1, 1, 1, 3, '', 0, '[]', 7);
        insert into journal (tenant_id, resource, id, change, fields, by_type)
          select ${tenant}, resource, n, 'created', '{id}', 'system'
          from generate_series(1, 4) n cross join (values ('clients'), ('files')) of (resource)`),
    );
    await finish();
    await forEachTenant(async () => {
      const fieldsOf = (resource: string) =>
        read(`select fields from journal where resource = '${resource}' order by id`);
      assert.deepEqual(await fieldsOf('clients'), Array(4).fill([['id']]));
      assert.deepEqual(await fieldsOf('files'), [
        [['id', ':user_id=7']],
        [['id']],
        [['id', ':user_id=7', ':payroll_exports.file_id']],
        [['id']],
      ]);
    });
  });
});
