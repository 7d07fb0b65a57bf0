import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { inOrder, removalOf } from '../../../src/db/schema/definitions.ts';
import { type DatabaseSchema, ownSchema, type SqlFile } from '../../../src/db/schema/files.ts';
import { inMemory, onServer, scratchUrl } from '../../support/database.ts';

const file = (name: string, text: string): SqlFile => ({ name, text });

/** The first migration alone, a table, and views of it. */
const schema = (release: string, ...definitions: SqlFile[]): DatabaseSchema => ({
  release,
  released: [],
  migrations: [
    ...ownSchema.migrations.slice(0, 1),
    file('0002-shelves', 'create table shelves (id integer, label text);'),
  ],
  definitions,
});

const view = (columns: string): SqlFile =>
  file(
    'shelves/view.sql',
    `create view shelves_view with (security_invoker = true) as select ${columns} from shelves;`,
  );

const doubled = (factor: number): SqlFile =>
  file(
    'shelves/twice.sql',
    `create function twice(id integer) returns integer language sql immutable return id * ${factor};`,
  );

/** Migrates a database, and returns what was applied and what the log was told. */
const bring = async (url: string, wanted: DatabaseSchema) => {
  const logged: string[] = [];
  const database = openDatabase({
    ...inMemory,
    url,
    schema: wanted,
    log: { warn: (_, message) => logged.push(message) },
  });
  const pending = await database.pendingMigrations();
  const applied = await database.migrate();
  const left = await database.pendingMigrations();
  await database.close();
  return { pending, applied, left, logged };
};

const rowsOf = async (text: string, url: string) => (await onServer(text, url)).rows;

describe('views and functions', () => {
  test('are made anew when one of them changes, and left alone when none does', async () => {
    const url = await scratchUrl();
    await bring(url, schema('1.0.0', view('id, twice(id)'), doubled(2)));
    await onServer('insert into shelves values (3)', url);
    assert.deepEqual(await rowsOf('select * from shelves_view', url), [{ id: 3, twice: 6 }]);
    const [before] = await rowsOf(`select 'shelves_view'::regclass::oid as oid`, url);
    await bring(url, schema('1.1.0', view('id, twice(id)'), doubled(2)));
    assert.deepEqual(await rowsOf(`select 'shelves_view'::regclass::oid as oid`, url), [before]);

    const changed = await bring(url, schema('1.1.0', view('id, twice(id)'), doubled(3)));
    assert.deepEqual(changed, { pending: ['shelves/twice.sql'], applied: [], left: [], logged: [] });
    assert.deepEqual(await rowsOf('select * from shelves_view', url), [{ id: 3, twice: 9 }]);
    await bring(url, schema('1.1.0', view('id')));
    assert.deepEqual(await rowsOf('select * from shelves_view', url), [{ id: 3 }]);
    assert.deepEqual(await rowsOf(`select to_regproc('twice') as gone`, url), [{ gone: null }]);
  });

  test('do not stand in a migration’s way', async () => {
    const url = await scratchUrl();
    const older = schema('1.0.0', view('id, label'));
    await bring(url, older);
    const migrations = [...older.migrations, file('0003-labels', 'alter table shelves drop column label;')];
    const { applied } = await bring(url, { ...schema('1.1.0', view('id')), migrations });
    assert.deepEqual(applied, ['0003-labels']);
  });

  test('of a newer release stay when an older one starts, which says so', async () => {
    const url = await scratchUrl();
    await bring(url, schema('1.10.0', view('id, label')));
    const { pending, logged } = await bring(url, schema('1.9.0', view('id')));
    assert.deepEqual(pending, []);
    assert.equal(logged.length, 1);
    assert.match(logged.join(), /release 1\.10\.0, newer than this release \(1\.9\.0\)/);
    await onServer('select label from shelves_view', url);
    const migrations = [...schema('').migrations, file('0003-more', 'select 1;')];
    await assert.rejects(bring(url, { ...schema('1.9.0', view('id')), migrations }), {
      name: 'SchemaError',
      message: /release 1\.10\.0\. Release 1\.9\.0 is older and cannot apply 0003-more: start release 1\.10\.0/,
    });
  });
});

describe('the order of definitions', () => {
  const a = file('a', 'create view a as select b(1);');
  const b = file('b', 'create function b(n int) returns int return (select n from c);\ncreate view bb as select 1;');
  const c = file('c', '-- a(1) and a are mentioned in vain\ncreate view c as select 1 as n;');

  test('puts each after those that it uses', () => {
    assert.deepEqual(inOrder([a, b, c]), [c, b, a]);
    assert.deepEqual(inOrder([c, a, b]), [c, b, a]);
  });

  test('rejects a circle', () => {
    assert.throws(() => inOrder([a, b, file('c', 'create view c as select * from a;')]), /use each other: a, b, c/);
  });

  test('is turned round to remove them', () => {
    assert.equal(removalOf(b), 'drop view if exists bb;\ndrop function if exists b;');
  });
});
