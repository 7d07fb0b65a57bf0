import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { type DatabaseSchema, ownSchema } from '../../../src/db/schema/files.ts';
import { SchemaError } from '../../../src/db/schema/plan.ts';
import { inMemory, newTenant, onEachNode, onServer, scratchUrl, withMigration } from '../../support/database.ts';
import { chosenDatabases, databaseWords } from '../../support/databases.ts';

const names = ownSchema.migrations.map(({ name }) => name);
const files = [...names, ...ownSchema.definitions.map(({ name }) => name)];
/** What is said of the database of a build that was not released: which ones are migrated. */
const buildAlone = /a build that is no release \(9000-later\)\. Only databases of releases are migrated: 1\.0\.0/;
const open = (url: string | null, schema: DatabaseSchema = ownSchema) => openDatabase({ ...inMemory, url, schema });

describe('migrating', () => {
  test('several new databases of one server at the same time makes the one role that they share', async () => {
    const urls: string[] = [];
    for (let turn = 0; turn < 4; turn++) urls.push(await scratchUrl());
    const databases = urls.map(url => open(url));
    const results = await Promise.all(databases.map(database => database.migrate()));
    for (const applied of results) assert.deepEqual(applied, names);
    await Promise.all(databases.map(database => database.close()));
  });

  const newUrls = { embedded: async () => null, postgres: scratchUrl };
  for (const name of chosenDatabases.each)
    test(`${databaseWords[name]}: a signal ends it before the next file, and leaves the database as it was; then ten at the same time apply everything once`, async () => {
      const stopping = new AbortController();
      const [first, ...others] = ownSchema.migrations;
      assert.ok(first);
      const stopped = {
        name: first.name,
        get text() {
          stopping.abort();
          return first.text;
        },
      };
      const database = open(await newUrls[name](), { ...ownSchema, migrations: [stopped, ...others] });
      assert.deepEqual(await database.pendingMigrations(), files);
      await assert.rejects(database.migrate(stopping.signal), { name: 'AbortError' });
      assert.deepEqual(await database.pendingMigrations(), files);
      const results = await Promise.all(Array.from({ length: 10 }, () => database.migrate()));
      assert.deepEqual(
        results.filter(applied => applied.length > 0),
        [names],
      );
      assert.deepEqual(await database.pendingMigrations(), []);
      assert.deepEqual(
        await database.migrations(),
        names.map(name => ({ name, applied: true })),
      );
      await database.close();
    });

  test('that fails leaves the database as it was', async () => {
    const url = await scratchUrl();
    const database = open(url, withMigration('9000-failing', 'create table half (id integer);\nselect nonsense;'));
    await assert.rejects(database.migrate(), { name: 'SchemaError', message: /^9000-failing, line 2: .*nonsense/ });
    assert.deepEqual((await database.pendingMigrations()).length, files.length + 1);
    await database.close();
    const { rows } = await onServer(
      `select count(*)::integer as tables from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
      url,
    );
    assert.deepEqual(rows, [{ tables: 0 }]);
  });

  test('refuses a database that a newer release has migrated', async () => {
    const url = await scratchUrl();
    const later = withMigration('9000-later', 'create table later (id integer)');
    const newer = open(url, { ...later, release: '99.1.0' });
    await newer.migrate();
    await newer.close();
    const older = open(url);
    const refused = (error: unknown) =>
      error instanceof SchemaError && error.message.includes('release 99.1.0 (9000-later): start release 99.1.0');
    await assert.rejects(older.migrate(), refused);
    await assert.rejects(older.pendingMigrations(), refused);
    await older.close();
  });

  test('rejects a database whose migrations were other files, and says which', async () => {
    const url = await scratchUrl();
    const before = open(url, withMigration('9000-later', 'create table later (id integer)'));
    await before.migrate();
    await before.close();
    const changed = withMigration('9000-later', 'create table later (id bigint)');
    const released = [...changed.released, { version: '1.2.0', migrations: [{ name: '9000-later', hash: '' }] }];
    for (const [schema, message] of [
      [{ ...changed, released }, /applied to this database: 9000-later\. Restore the released files/],
      [changed, buildAlone],
      [ownSchema, buildAlone],
    ] as const) {
      const after = open(url, schema);
      await assert.rejects(after.migrate(), { name: 'SchemaError', message });
      await assert.rejects(after.pendingMigrations(), { name: 'SchemaError', message });
      await after.close();
    }
    const early = withMigration('8000-early', 'select 1');
    const late = open(url, {
      ...early,
      migrations: [...early.migrations, { name: '9000-later', text: 'create table later (id integer)' }],
    });
    await assert.rejects(late.migrate(), {
      name: 'SchemaError',
      message: /^These migrations come before 9000-later, .*: 8000-early\. Give them later numbers\.$/,
    });
    await late.close();
  });

  test('rejects a database of the first build', async () => {
    const url = await scratchUrl();
    await onServer('create table kysely_migration (name text, timestamp text)', url);
    const database = open(url);
    const refused = {
      name: 'SchemaError',
      message: /before release 1\.0\.0, .* another DATABASE_URL, or another DATA_DIR/,
    };
    await assert.rejects(database.migrate(), refused);
    await assert.rejects(database.pendingMigrations(), refused);
    await database.close();
    const { rows } = await onServer(`select count(*)::integer as tables from pg_class where relname = 'tenants'`, url);
    assert.deepEqual(rows, [{ tables: 0 }]);
  });

  test('as another user than the one that works lets that one work, bound by row security', async () => {
    const migrationUrl = await scratchUrl();
    const user = `staffing_login_${process.pid}`;
    await onEachNode(`create role ${user} login`);
    const url = new URL(migrationUrl);
    url.username = user;
    const database = openDatabase({ ...inMemory, url: url.href, migrationUrl });
    await database.migrate();
    const [mine, other] = [await newTenant(database), await newTenant(database)];
    for (const { id } of [mine, other]) {
      await database.asOwner(id, async ({ kysely }) => {
        await kysely.insertInto('api_users').values({ id: 1, name: 'one' }).execute();
      });
    }
    const statement = { name: null, text: 'select tenant_id from api_users', values: [] };
    const [read] = await database.forTenant(mine).read(statement);
    assert.deepEqual(read?.rows, [[String(mine.id)]]);
    const [owned] = await database.asOwner(other.id, ({ send }) => send(statement));
    assert.deepEqual(owned?.rows, [[String(other.id)]]);
    await database.close();
    await onEachNode(`drop owned by ${user}`, new URL(migrationUrl).pathname);
    await onEachNode(`drop role ${user}`);
  });
});
