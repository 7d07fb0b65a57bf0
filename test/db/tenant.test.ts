import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Statement, TenantDb } from '../../src/db/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../src/db/errors.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';
import { fixtureSchema, fixtureTables } from './fixture.ts';

const select = (text: string, ...values: string[]): Statement => ({ name: null, text, values });
const isKind = (kind: DatabaseErrorKind) => (error: unknown) => error instanceof DatabaseError && error.kind === kind;
const labels = async (db: TenantDb): Promise<unknown> =>
  (
    await db.read(select('select label from shelves where tenant_id = $1 order by label', String(db.tenant.id)))
  )[0]?.rows.flat();
const addShelf = (db: TenantDb, label: string) =>
  db.transaction(transaction =>
    fixtureTables(transaction.kysely).insertInto('shelves').values({ label }).returning('id').executeTakeFirstOrThrow(),
  );

forEachDatabase((name, getDatabase) => {
  const newDb = async () => getDatabase().forTenant(await newTenant(getDatabase()));

  describe('a tenant’s read', () => {
    test('gives each statement’s rows as the database’s texts, of one snapshot, in the tenants’ role and in UTC', async () => {
      const db = await newDb();
      const [first, second] = await db.read(
        select(
          `select current_user, current_setting('app.tenant_id'), current_setting('transaction_read_only'), current_setting('transaction_isolation')`,
        ),
        select(`select 1::bigint as one, true as yes, null as nothing, timestamptz '2026-04-01 10:30:00+02' as time`),
      );
      assert.deepEqual(first?.rows, [['staffing_tenant', String(db.tenant.id), 'on', 'repeatable read']]);
      assert.deepEqual(second?.rows, [['1', 't', null, '2026-04-01 08:30:00+00']]);
      assert.deepEqual(second?.columns, ['one', 'yes', 'nothing', 'time']);
    });

    test('that fails rejects with the first error and leaves the connection usable', async () => {
      const db = await newDb();
      await assert.rejects(
        db.read(select('select 1'), select('select nonsense'), select('select 2')),
        (error: unknown) => {
          assert.ok(error instanceof DatabaseError);
          assert.equal(error.kind, 'other');
          assert.equal(error.statement, 'select nonsense');
          assert.doesNotMatch(error.message, /nonsense/);
          return true;
        },
      );
      assert.deepEqual(await labels(db), []);
    });
  });

  describe('a tenant’s transaction', () => {
    test('keeps all that it did, and shows its own writes', async () => {
      const db = await newDb();
      const { id } = await addShelf(db, 'a');
      const seen = await db.transaction(async transaction => {
        const tables = fixtureTables(transaction.kysely);
        await tables.updateTable('shelves').set({ label: 'b' }).where('id', '=', id).execute();
        return tables.selectFrom('shelves').select('label').execute();
      });
      assert.deepEqual(seen, [{ label: 'b' }]);
      assert.deepEqual(await labels(db), ['b']);
    });

    test('keeps nothing when its work throws', async () => {
      const db = await newDb();
      const failing = db.transaction(async transaction => {
        await fixtureTables(transaction.kysely).insertInto('shelves').values({ label: 'a' }).execute();
        throw new RangeError('no');
      });
      await assert.rejects(failing, RangeError);
      assert.deepEqual(await labels(db), []);
    });

    test('keeps nothing when its work makes light of a failed statement', async () => {
      const db = await newDb();
      const failing = db.transaction(async transaction => {
        await fixtureTables(transaction.kysely).insertInto('shelves').values({ label: 'a' }).execute();
        await transaction.send(select('select nonsense')).catch(() => {});
      });
      await assert.rejects(failing, isKind('other'));
      assert.deepEqual(await labels(db), []);
    });

    test('waits for the statements that its work did not wait for', async () => {
      const db = await newDb();
      await db.transaction(async transaction => {
        void transaction.send(select(`insert into shelves (tenant_id, label) values ($1, 'a')`, String(db.tenant.id)));
      });
      assert.deepEqual(await labels(db), ['a']);
    });

    test('takes nothing more once it has ended', async () => {
      const db = await newDb();
      const transaction = await db.transaction(async transaction => transaction);
      await assert.rejects(transaction.send(select('select 1')), /has ended/);
    });

    test('parses values for hand-written code', async () => {
      const db = await newDb();
      const { id } = await addShelf(db, 'a');
      const book = await db.transaction(transaction =>
        fixtureTables(transaction.kysely)
          .insertInto('books')
          .values({
            ...{ shelf_id: id, title: 'ß', pages: 3, price: '12.50', tags: JSON.stringify([1]), lent: true },
            ...{ printed_on: '2026-04-01', created_at: '2026-04-01T10:30:00+02:00' },
          })
          .returning(['shelf_id', 'title', 'pages', 'isbn', 'price', 'tags', 'lent', 'printed_on', 'created_at'])
          .executeTakeFirstOrThrow(),
      );
      assert.deepEqual(book, {
        ...{ shelf_id: id, title: 'ß', pages: 3, isbn: null, price: '12.50', tags: [1], lent: true },
        ...{ printed_on: '2026-04-01', created_at: '2026-04-01T08:30:00Z' },
      });
    });
  });

  describe('a tenant’s snapshot', () => {
    test('reads and cannot write', async () => {
      const db = await newDb();
      assert.deepEqual(
        await db.snapshot(transaction => fixtureTables(transaction.kysely).selectFrom('shelves').selectAll().execute()),
        [],
      );
      const writing = db.snapshot(transaction =>
        fixtureTables(transaction.kysely).insertInto('shelves').values({ label: 'a' }).execute(),
      );
      await assert.rejects(writing, DatabaseError);
      assert.deepEqual(await labels(db), []);
    });
  });

  describe('a violation is told', () => {
    const violations: [
      kind: DatabaseErrorKind,
      table: string,
      columns: string[],
      work: (tables: ReturnType<typeof fixtureTables>, shelf: number) => Promise<unknown>,
    ][] = [
      ['unique', 'shelves', ['label'], tables => tables.insertInto('shelves').values({ label: 'a' }).execute()],
      [
        'reference_missing',
        'books',
        ['shelf_id'],
        tables => tables.insertInto('books').values({ shelf_id: -1, title: 'x' }).execute(),
      ],
      [
        'still_referenced',
        'books',
        ['shelf_id'],
        (tables, shelf) => tables.deleteFrom('shelves').where('id', '=', shelf).execute(),
      ],
      [
        'check',
        'books',
        ['pages'],
        (tables, shelf) => tables.insertInto('books').values({ shelf_id: shelf, title: 'x', pages: 0 }).execute(),
      ],
      [
        'not_null',
        'shelves',
        ['label'],
        tables =>
          tables
            .insertInto('shelves')
            .values({ label: null as never })
            .execute(),
      ],
      [
        'unique',
        'books',
        ['title', 'isbn'],
        (tables, shelf) => tables.insertInto('books').values({ shelf_id: shelf, title: 'a', isbn: '1' }).execute(),
      ],
    ];
    for (const [kind, table, columns, work] of violations)
      test(`by kind, table and columns: ${kind} of ${columns}`, async () => {
        const db = await newDb();
        const { id } = await addShelf(db, 'a');
        await db.transaction(transaction =>
          fixtureTables(transaction.kysely)
            .insertInto('books')
            .values({ shelf_id: id, title: 'a', isbn: '1' })
            .execute(),
        );
        await assert.rejects(
          db.transaction(transaction => work(fixtureTables(transaction.kysely), id)),
          (error: unknown) => {
            assert.ok(error instanceof DatabaseError);
            assert.deepEqual([error.kind, error.table, error.columns], [kind, table, columns]);
            return true;
          },
        );
      });

    test('when a value does not fit', async () => {
      const db = await newDb();
      await assert.rejects(db.read(select('select $1::integer', '3000000000')), isKind('value'));
    });
  });

  if (name === 'postgres') {
    describe('transactions at the same time', () => {
      test('that lock each other out run again, and both succeed', async () => {
        const db = await newDb();
        const ids = [(await addShelf(db, 'a')).id, (await addShelf(db, 'b')).id];
        let runs = 0;
        const met = barrier(2);
        const change = (order: number[], suffix: string) =>
          db.transaction(async transaction => {
            const run = ++runs;
            const tables = fixtureTables(transaction.kysely);
            for (const [index, id] of order.entries()) {
              await tables
                .updateTable('shelves')
                .set({ label: sql`label || ${suffix}` })
                .where('id', '=', id)
                .execute();
              if (index === 0 && run <= 2) await met();
            }
          });
        await Promise.all([change(ids, '1'), change(ids.toReversed(), '2')]);
        assert.equal(runs, 3);
        for (const label of (await labels(db)) as string[]) assert.match(label, /^[ab](12|21)$/);
      });

      test('that never get a lock end as unavailable', async () => {
        const db = await newDb();
        const { id } = await addShelf(db, 'a');
        let runs = 0;
        await db.transaction(async outer => {
          await fixtureTables(outer.kysely).updateTable('shelves').set({ label: 'b' }).where('id', '=', id).execute();
          const inner = db.transaction(async transaction => {
            runs++;
            await transaction.send(
              select(`set local lock_timeout = '20ms'`),
              select('select from shelves where id = $1 for update', String(id)),
            );
          });
          await assert.rejects(inner, isKind('unavailable'));
        });
        assert.equal(runs, 4);
        assert.deepEqual(await labels(db), ['b']);
      });
    });
  }
}, fixtureSchema);

/** A function that resolves for all when it has been called that many times. */
const barrier = (count: number): (() => Promise<void>) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return () => {
    if (--count === 0) resolve();
    return promise;
  };
};
