import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { expectedSchema } from '../../../src/server/expected-schema.ts';
import { prepareSchema } from '../../../src/server/prepare.ts';
import { forEachDatabase, inMemory, onServer, scratchUrl, unboundUrl } from '../../support/database.ts';

forEachDatabase((_, getDatabase) => {
  test('the migrated database is what the resources need', async () => {
    assert.deepEqual(await getDatabase().differences(expectedSchema), []);
  });
});

test('each way around row security is told', async () => {
  const url = await scratchUrl();
  const database = openDatabase({ ...inMemory, url });
  await database.migrate();
  const changes: readonly [sql: string, gaps: readonly string[]][] = [
    [
      'create table strays (tenant_id bigint, id bigint, name text); grant select on strays to staffing_tenant',
      ['table strays: expected the policy "tenant" alone', 'table strays: row security is not forced'],
    ],
    ['alter table clients no force row level security', ['table clients: row security is not forced']],
    ['alter table functions disable row level security', ['table functions: row security is not forced']],
    ['create policy all_rows on contacts using (true)', ['table contacts: expected the policy "tenant" alone']],
    ['alter policy tenant on projects using (tenant_id > 0)', ['table projects: expected the policy "tenant" alone']],
    ['grant truncate on employees to staffing_tenant', ['table employees: staffing_tenant may truncate']],
    ['grant select on planners to public', ['table planners: PUBLIC may select']],
    ['grant select (name) on locations to public', ['table locations: PUBLIC may select']],
    ['grant select on tenant_hosts to staffing_tenant', ['table tenant_hosts: staffing_tenant may select']],
    ['grant update on tenants to staffing_tenant', ['table tenants: staffing_tenant may update']],
    [
      'create view names as select tenant_id, name from functions; grant select on names to staffing_tenant',
      ['view names: shows what its owner may read: it has to be a security_invoker'],
    ],
    ['revoke select on busy_dates from staffing_tenant', ['table busy_dates: staffing_tenant cannot read it']],
    [
      'alter table languages owner to staffing_tenant',
      [
        'table languages: belongs to staffing_tenant',
        'table languages: staffing_tenant may references, trigger, truncate',
      ],
    ],
  ];
  await onServer(changes.map(([text]) => text).join(';'), await unboundUrl(url));
  const found = (await database.differences(expectedSchema)).map(line => line.replace('maintain, ', ''));
  assert.deepEqual(found.toSorted(), changes.flatMap(([, gaps]) => gaps).toSorted());
  await assert.rejects(prepareSchema(database, true), { name: 'SchemaError' });
  await database.close();
});

test('each difference is told, and stops the start', async () => {
  const url = await scratchUrl();
  const database = openDatabase({ ...inMemory, url });
  await database.migrate();
  const changes: readonly [sql: string, difference: string][] = [
    ['alter table clients rename company to firm', 'column clients.company: missing (text)'],
    [
      'alter table contacts alter email type varchar(9)',
      'column contacts.email: expected text, found character varying(9)',
    ],
    ['alter table employees alter firstname drop not null', 'column employees.firstname: expected not null'],
    ['alter table planners alter phone set not null', 'column planners.phone: expected null to be allowed'],
    [
      'alter table checkins drop constraint assignment_id_fkey',
      'column checkins.assignment_id: no foreign key to assignments',
    ],
    ['drop view livestamps_view', 'view livestamps_view: missing'],
    ['alter view paysheets_view rename id to place', 'column paysheets_view.id: missing (bigint)'],
    ['alter table dynamic_clients drop column text_7', 'column dynamic_clients.text_7: missing (text)'],
    [
      `drop index assignments_held_idx;
      create index assignments_held_idx on assignments (tenant_id, employee_id) where status in (5, 6);
      comment on index assignments_held_idx is 'assignment_holding(status)'`,
      'index assignments_held_idx: expected a condition equal to assignment_holding(status), found (status = ANY (ARRAY[5, 6]))',
    ],
  ];
  await onServer(changes.map(([text]) => text).join(';'), await unboundUrl(url));
  assert.deepEqual(
    [...(await database.differences(expectedSchema))].sort(),
    changes.map(([, difference]) => difference).sort(),
  );
  await assert.rejects(prepareSchema(database, true), {
    name: 'SchemaError',
    message: /Add a migration, .*\n(- .*\n)*- index assignments_held_idx/,
  });
  await database.close();
});
