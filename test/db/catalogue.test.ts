import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { citusPrograms } from '../support/citus.ts';
import { forEachDatabase } from '../support/database.ts';
import { definitionViolations } from '../support/definitions.ts';
import { coordinatorReaders, coordinatorWriters, sharedTables, tenantEntering } from '../support/node-rules.ts';

const shared = [...sharedTables];

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

    test('has no triggers: what follows from a write is the application’s', async () => {
      const triggers = await rows(sql<{ name: string }>`
        select tgname as name from pg_trigger t join pg_class c on c.oid = tgrelid
        where not tgisinternal and c.relnamespace = current_schema()::regnamespace`);
      assert.deepEqual(triggers, []);
    });

    test('has views that bind whoever asks', async () => {
      const open = await rows(sql<{ name: string }>`
        select relname as name from pg_class where relkind in ('v', 'm') and relnamespace = current_schema()::regnamespace
          -- What an extension brings is not the service's.
          and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
          and not coalesce('security_invoker=true' = any(reloptions), false)`);
      assert.deepEqual(open, []);
    });

    test('lets the tenants’ role read every table of the tenants but those of secrets, of ids and of its requests', async () => {
      const closed = await rows(sql<{ name: string }>`
        select relname as name from pg_class where relkind in ('r', 'v') and relnamespace = current_schema()::regnamespace
          and relname <> all(${shared}) and not has_table_privilege('staffing_tenant', oid, 'SELECT') order by 1`);
      assert.deepEqual(
        closed.map(({ name }) => name),
        ['api_user_usage', 'id_blocks', 'refused_requests', 'webhook_secrets'],
      );
    });

    const skip =
      citusPrograms &&
      'only a superuser takes from the role what all roles have; the owner of a cluster’s tables is none';
    test('lets the tenants’ role use nothing that outlives a transaction or shows what others do', {
      skip,
    }, async () => {
      const open = await rows(sql<{ name: string }>`
        select oid::regprocedure::text as name from pg_proc
        where pronamespace = 'pg_catalog'::regnamespace and has_function_privilege('staffing_tenant', oid, 'EXECUTE')
          and proname ~ '^(lo_.*|loread|lowrite|pg_(try_)?advisory_(lock|unlock).*|pg_notify|pg_listening_channels)$'
        union all
        select relname from pg_class
        where relnamespace = 'pg_catalog'::regnamespace and has_table_privilege('staffing_tenant', oid, 'SELECT')
          and relname in ('pg_stat_activity', 'pg_stat_user_tables', 'pg_statio_user_tables', 'pg_stat_database', 'pg_locks')
        union all
        select 'temporary tables' where has_database_privilege('staffing_tenant', current_database(), 'TEMPORARY')
        union all
        select 'new tables' where has_schema_privilege('staffing_tenant', current_schema(), 'CREATE')`);
      assert.deepEqual(open, []);
    });

    test('lets the tenants’ role take the locks of a transaction', async () => {
      const [own] = await rows(sql<{ may: boolean }>`
        select has_function_privilege('staffing_tenant', 'pg_try_advisory_xact_lock(bigint)', 'EXECUTE') as may`);
      assert.equal(own?.may, true);
    });

    test('has no function or view that is wrong if the tenant’s data are on another server', async () => {
      const found = await rows(sql<{ name: string; text: string; language: string }>`
        select proname as name, case when lanname = 'sql' and prosrc <> '' then prosrc else pg_get_functiondef(p.oid) end as text,
          lanname as language
        from pg_proc p join pg_language l on l.oid = prolang
        where pronamespace = current_schema()::regnamespace and lanname in ('sql', 'plpgsql')
          -- It says which server it runs on, and is asked on the coordinator.
          and proname <> 'server_identity'
        union all
        select viewname, definition, 'sql' from pg_views where schemaname = current_schema()`);
      assert.ok(found.length > 50);
      assert.deepEqual(
        found.flatMap(({ name, text, language }) =>
          definitionViolations(text, language).map(what => `${name}: ${what}`),
        ),
        [],
      );
    });

    test('has no other functions that write what is on the coordinator than those that are known', async () => {
      const found = await rows(sql<{ name: string }>`
        select proname as name from pg_proc where pronamespace = current_schema()::regnamespace
          and prosrc ~* '(insert into|update|delete from) (jobs\\.|(public\\.)?tenants\\M)|enqueue_import\\(' order by 1`);
      assert.deepEqual(
        found.map(({ name }) => name),
        coordinatorWriters,
      );
    });

    test('has no other functions that only read what is on the coordinator than those that are known', async () => {
      const found = await rows(sql<{ name: string }>`
        select proname as name from pg_proc where pronamespace = current_schema()::regnamespace
          and prosrc ~* '(from|join) (jobs\\.|(public\\.)?(tenants|tenant_hosts|administration_\\w+)\\M)'
          and proname <> all(${coordinatorWriters}) order by 1`);
      assert.deepEqual(
        found.map(({ name }) => name),
        coordinatorReaders,
      );
    });

    test('has no function that enters tenants but those that the checker of statements knows', async () => {
      const found = await rows(sql<{ name: string }>`
        select proname as name from pg_proc
        where pronamespace = current_schema()::regnamespace and prosrc ~ 'set local app\\.tenant_id' order by 1`);
      assert.deepEqual(
        found.map(({ name }) => name),
        tenantEntering,
      );
    });

    test('gives no id by itself, but for the order of entries and deliveries: ids of a tenant’s records come from its own blocks', async () => {
      const given = await rows(sql<{ name: string }>`
        select relname || '.' || attname as name from pg_attribute a
        join pg_class c on c.oid = attrelid and relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
        where relname not in ('tenants', 'administration_log') and attnum > 0 and not attisdropped and (attidentity <> '' and attname <> 'sequence' or attname = 'id' and atthasdef)
          and relname <> 'journal'
        union all
        select relname from pg_class
        where relkind = 'S' and relnamespace = current_schema()::regnamespace and relname not in ('tenants_id_seq', 'administration_log_id_seq') and relname !~ '_sequence_seq$'`);
      assert.deepEqual(given, []);
    });
  });
});
