import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { expectedSchema } from '../../../src/server/expected-schema.ts';
import { prepareSchema } from '../../../src/server/prepare.ts';
import { forEachDatabase, inMemory, onServer, scratchUrl } from '../../support/database.ts';

forEachDatabase((_, getDatabase) => {
  test('the migrated database is what the resources need', async () => {
    assert.deepEqual(await getDatabase().differences(expectedSchema), []);
  });
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
    ['alter view paysheets_view rename id to number', 'column paysheets_view.id: missing (bigint)'],
    ['alter table dynamic_clients drop column text_7', 'column dynamic_clients.text_7: missing (text)'],
    [
      `drop index assignments_held_idx;
      create index assignments_held_idx on assignments (tenant_id, employee_id) where status in (5, 6);
      comment on index assignments_held_idx is 'assignment_holding(status)'`,
      'index assignments_held_idx: expected a condition equal to assignment_holding(status), found (status = ANY (ARRAY[5, 6]))',
    ],
  ];
  await onServer(changes.map(([text]) => text).join(';'), url);
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
