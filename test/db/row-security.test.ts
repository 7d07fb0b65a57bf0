import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { tenantPlugin } from '../../src/db/binding/tenant-plugin.ts';
import type { Database } from '../../src/db/open.ts';
import { citusPrograms } from '../support/citus.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';
import { fixtureSchema, fixtureTables } from './fixture.ts';

/** Two tenants with a shelf and a book each. */
const scene = async (database: Database) => {
  const make = async () => {
    const tenant = await newTenant(database);
    const db = database.forTenant(tenant);
    return db.transaction(async transaction => {
      const tables = fixtureTables(transaction.kysely);
      const shelf = await tables.insertInto('shelves').values({ label: 'a' }).returning('id').executeTakeFirstOrThrow();
      const book = await tables
        .insertInto('books')
        .values({ shelf_id: shelf.id, title: tenant.slug })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { tenant, db, shelf: shelf.id, book: book.id };
    });
  };
  return { mine: await make(), other: await make() };
};

const plain = (text: string, ...values: unknown[]) => ({ name: null, text, values: values.map(String) });

forEachDatabase((_, getDatabase) => {
  describe('another tenant’s rows', () => {
    test('are not seen through any query that the plugin binds', async () => {
      const { mine, other } = await scene(getDatabase());
      const seen = await mine.db.snapshot(async ({ kysely }) => {
        const tables = fixtureTables(kysely);
        return [
          await tables.selectFrom('books').select('id').execute(),
          await tables
            .selectFrom('books as b')
            .innerJoin('books as c', 'c.shelf_id', 'b.shelf_id')
            .select('c.id')
            .execute(),
          await tables
            .selectFrom('shelves')
            .leftJoin('books', join => join.onTrue())
            .select('books.id')
            .execute(),
          await tables
            .with('all', q => q.selectFrom('books').select('id'))
            .selectFrom('all')
            .select('id')
            .execute(),
          await tables.selectFrom('books_view').select('id').where(sql<boolean>`true or id = ${other.book}`).execute(),
        ];
      });
      for (const rows of seen) assert.deepEqual(rows, [{ id: mine.book }]);
    });

    test('are not seen or changed by a statement without a condition: row security stands alone', async () => {
      const { mine, other } = await scene(getDatabase());
      const results = await mine.db.transaction(transaction =>
        transaction.send(
          plain('select id from books'),
          plain('select id from books_view'),
          plain('select id from books where tenant_id = $1', other.tenant.id),
          plain('update books set title = $1 where id = $2', 'stolen', other.book),
          plain('delete from books where id = $1', other.book),
        ),
      );
      assert.deepEqual(
        results.map(({ rows, affected }) => [rows.flat(), affected]),
        [
          [[String(mine.book)], 1],
          [[String(mine.book)], 1],
          [[], 0],
          [[], 0],
          [[], 0],
        ],
      );
    });

    test('cannot be written, moved or referred to', async () => {
      const { mine, other } = await scene(getDatabase());
      const refused = [
        plain('insert into shelves (tenant_id, label) values ($1, $2)', other.tenant.id, 'x'),
        plain('update shelves set tenant_id = $1', other.tenant.id),
        plain('insert into books (tenant_id, shelf_id, title) values ($1, $2, $3)', mine.tenant.id, other.shelf, 'x'),
      ];
      for (const statement of refused)
        await assert.rejects(
          mine.db.transaction(transaction => transaction.send(statement)),
          statement.text,
        );
    });

    const skip = citusPrograms && 'row security binds the owner of a cluster’s tables';
    test('are not seen by the plugin alone, where row security does not bind', { skip }, async () => {
      const { mine, other } = await scene(getDatabase());
      const kysely = fixtureTables(getDatabase().system);
      const unbound = await kysely
        .selectFrom('books')
        .select('id')
        .where('id', 'in', [mine.book, other.book])
        .execute();
      assert.equal(unbound.length, 2, 'the test’s login is not bound by row security');
      const bound = kysely.withPlugin(tenantPlugin(mine.tenant.id));
      assert.deepEqual(await bound.selectFrom('books').select('id').execute(), [{ id: mine.book }]);
      const { numUpdatedRows } = await bound
        .updateTable('books')
        .set({ title: 'x' })
        .where('id', '=', other.book)
        .executeTakeFirstOrThrow();
      assert.equal(numUpdatedRows, 0n);
      const { numDeletedRows } = await bound.deleteFrom('books').where('id', '=', other.book).executeTakeFirstOrThrow();
      assert.equal(numDeletedRows, 0n);
    });

    test('are not seen outside a tenant’s transaction in the tenants’ role', async () => {
      const rows = await getDatabase()
        .system.transaction()
        .execute(async transaction => {
          await sql`set local role staffing_tenant`.execute(transaction);
          return fixtureTables(transaction).selectFrom('books').selectAll().execute();
        });
      assert.deepEqual(rows, []);
    });
  });

  describe('the tenants’ role', () => {
    test('owns nothing, logs in on nodes of a cluster only, is no superuser and is subject to row security', async () => {
      const { rows } = await sql`
        select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolcreatedb,
          exists (select from pg_class where relowner = r.oid) as owner
        from pg_roles r where rolname = 'staffing_tenant'`.execute(getDatabase().system);
      const none = {
        rolsuper: false,
        rolbypassrls: false,
        rolcanlogin: citusPrograms !== undefined,
        rolcreaterole: false,
        rolcreatedb: false,
      };
      assert.deepEqual(rows, [{ ...none, owner: false }]);
    });

    test('may read its API users and tokens, and not write them, nor see the tables of all tenants', async () => {
      const { mine } = await scene(getDatabase());
      await getDatabase().asOwner(mine.tenant.id, async ({ kysely }) => {
        await kysely.insertInto('api_users').values({ id: 1, name: 'one' }).execute();
      });
      const [users] = await mine.db.read(plain('select name from api_users'));
      assert.deepEqual(users?.rows, [['one']]);
      const refused = [
        'insert into api_users (tenant_id, id, name) values (1, 1, 2)',
        'update tokens set revoked_at = null',
        'select from tenants',
      ];
      for (const text of refused)
        await assert.rejects(
          mine.db.transaction(transaction => transaction.send(plain(text))),
          { kind: 'other' },
        );
    });
  });
}, fixtureSchema);
