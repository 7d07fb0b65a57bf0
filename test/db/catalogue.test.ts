import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { forEachDatabase } from '../support/database.ts';

/** Tables of all tenants together. */
const shared = ['schema_definitions', 'schema_migrations', 'tenant_hosts', 'tenants'];

forEachDatabase((_, getDatabase) => {
  const rows = async <T>(query: ReturnType<typeof sql<T>>): Promise<readonly T[]> =>
    (await query.execute(getDatabase().system)).rows;

  describe('the catalogue', () => {
    test('has no table without tenant_id but those of all tenants', async () => {
      const tables = await rows(sql<{ name: string }>`
        select relname as name from pg_class c where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
          and not exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant_id')
        order by 1`);
      assert.deepEqual(
        tables.map(({ name }) => name),
        shared.filter(name => name !== 'tenant_hosts'),
      );
    });

    test('has row security, forced, with a policy for all commands, on every table of the tenants', async () => {
      const open = await rows(sql<{ name: string }>`
        select relname as name from pg_class c
        join pg_attribute a on attrelid = c.oid and attname = 'tenant_id'
        where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace and relname <> 'tenant_hosts'
          and not (relrowsecurity and relforcerowsecurity and attnotnull and exists (
            select from pg_policy where polrelid = c.oid and polcmd = '*' and polqual is not null and polwithcheck is not null))`);
      assert.deepEqual(open, []);
    });

    test('has tenant_id leading every primary key, unique constraint, index and foreign key of the tenants’ tables', async () => {
      const wrong = await rows(sql<{ name: string }>`
        select conrelid::regclass || ': ' || conname as name from pg_constraint c
        join pg_class t on t.oid = conrelid and t.relnamespace = current_schema()::regnamespace
        where contype in ('p', 'u', 'f') and relname <> all(${shared})
          and 'tenant_id' <> (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1])
        union all
        select conrelid::regclass || ' refers by ' || conname from pg_constraint c
        join pg_class t on t.oid = conrelid and t.relnamespace = current_schema()::regnamespace
        where contype = 'f' and relname <> all(${shared})
          and 'tenant_id' <> (select attname from pg_attribute where attrelid = confrelid and attnum = confkey[1])
        union all
        select indexrelid::regclass::text from pg_index i
        join pg_class t on t.oid = indrelid and t.relnamespace = current_schema()::regnamespace
        where relname <> all(${shared})
          and 'tenant_id' is distinct from (select attname from pg_attribute where attrelid = indrelid and attnum = indkey[0])`);
      assert.deepEqual(wrong, []);
    });

    test('has an index for every foreign key', async () => {
      const slow = await rows(sql<{ name: string }>`
        select conrelid::regclass || ': ' || conname as name from pg_constraint c
        join pg_class t on t.oid = conrelid and t.relnamespace = current_schema()::regnamespace
        where contype = 'f' and not exists (
          select from pg_index where indrelid = conrelid and indpred is null
            and (indkey::smallint[])[0:cardinality(conkey) - 1] = conkey)`);
      assert.deepEqual(slow, []);
    });

    test('has texts of the tenants under the ICU root collation', async () => {
      const other = await rows(sql<{ name: string }>`
        select c.relname || '.' || attname as name from pg_attribute a
        join pg_class c on c.oid = attrelid and relkind = 'r' and relnamespace = current_schema()::regnamespace
        where atttypid = 'text'::regtype and attnum > 0 and relname <> all(${shared})
          and attcollation <> (select oid from pg_collation where collname = 'und-x-icu')`);
      assert.deepEqual(other, []);
    });

    test('has views that bind whoever asks', async () => {
      const open = await rows(sql<{ name: string }>`
        select relname as name from pg_class where relkind in ('v', 'm') and relnamespace = current_schema()::regnamespace
          and not coalesce('security_invoker=true' = any(reloptions), false)`);
      assert.deepEqual(open, []);
    });

    test('lets the tenants’ role read every table of the tenants but that of secrets', async () => {
      const closed = await rows(sql<{ name: string }>`
        select relname as name from pg_class where relkind in ('r', 'v') and relnamespace = current_schema()::regnamespace
          and relname <> all(${shared}) and not has_table_privilege('staffing_tenant', oid, 'SELECT')`);
      assert.deepEqual(closed, [{ name: 'webhook_secrets' }]);
    });
  });
});
