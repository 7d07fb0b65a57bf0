import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Tenant } from '../../src/core/principal.ts';
import type { Statement, Transaction } from '../../src/db/database.ts';
import { DatabaseError } from '../../src/db/errors.ts';
import { newId } from '../../src/db/ids.ts';
import { openDatabase } from '../../src/db/open.ts';
import { prepare } from '../../src/db/prepared.ts';
import { rehearse } from '../../src/db/rehearsal.ts';
import { forEachDatabase, inMemory, migratedUrl, newTenant } from '../support/database.ts';
import { countTrips } from '../support/proxies/trips.ts';

const broken: Statement = { name: null, text: 'select 1 / 0', values: [] };
const isOfValue = (error: unknown) => error instanceof DatabaseError && error.kind === 'value';

const companies = prepare((db, { least }: { least: string }) =>
  db.selectFrom('clients').select(['id', 'company']).where('company', '>=', least).orderBy('company'),
);

const add = async (company: string, transaction: Transaction) => {
  const id = await newId(transaction, 'clients');
  void transaction.defer(transaction.kysely.insertInto('clients').values({ id, company }));
};

forEachDatabase((_, getDatabase) => {
  const newDb = async () => getDatabase().forTenant(await newTenant(getDatabase()));
  const stored = async (db: Awaited<ReturnType<typeof newDb>>) =>
    db.transaction(async transaction => {
      const [rows] = await transaction.run(companies({ least: '' }));
      return rows.map(({ company }) => company);
    });

  describe('what a transaction defers', () => {
    test('comes before what it sends next, and its rows with it', async () => {
      const db = await newDb();
      await db.transaction(async transaction => {
        await add('a', transaction);
        const deferred = transaction.defer(companies({ least: '' }));
        await add('b', transaction);
        const [now] = await transaction.run(companies({ least: '' }));
        const [[before]] = [await deferred];
        assert.deepEqual([before?.length, now.length], [1, 2]);
      });
    });

    test('is committed if nothing more is sent, with its entries in the journal', async () => {
      const db = await newDb();
      await db.transaction(transaction => add('a', transaction));
      assert.deepEqual(await stored(db), ['a']);
      const text = `select count(*) from journal where tenant_id = $1 and resource = 'clients'`;
      const [entries] = await db.read({ name: null, text, values: [String(db.tenant.id)] });
      assert.equal(entries?.rows[0]?.[0], '1');
    });

    test('fails the transaction with its error, whether something is sent afterwards or not', async () => {
      const db = await newDb();
      const fail = async (transaction: Transaction) => {
        await add('a', transaction);
        void transaction.defer(broken);
      };
      await assert.rejects(db.transaction(fail), isOfValue);
      await assert.rejects(
        db.transaction(async transaction => {
          await fail(transaction);
          await transaction.run(companies({ least: '' }));
        }),
        isOfValue,
      );
      await assert.rejects(rehearse(db).transaction(fail), isOfValue, 'a rehearsal, too');
      assert.deepEqual(await stored(db), []);
    });

    test('is rejected if the work fails before it is sent', async () => {
      const db = await newDb();
      const failure = new Error('failed');
      let deferred: Promise<unknown> = Promise.resolve();
      const work = db.transaction(async transaction => {
        deferred = transaction.defer(companies({ least: '' }));
        throw failure;
      });
      await assert.rejects(work, failure);
      await assert.rejects(deferred, failure);
    });

    test('must be possible to enter in the journal', async () => {
      const db = await newDb();
      const text = "update clients set company = 'a' where tenant_id = $1";
      const statement = { name: null, text, values: [String(db.tenant.id)] };
      await assert.rejects(
        db.transaction(async transaction => void transaction.defer(statement)),
        /can't be entered in the journal/,
      );
    });

    test('fails only the part that has deferred it', async () => {
      const db = await newDb();
      await db.joined(async (parts, whole) => {
        await add('a', whole);
        await assert.rejects(
          parts.transaction(async transaction => {
            await add('lost', transaction);
            void transaction.defer(broken);
          }),
          isOfValue,
        );
        const failed = parts.transaction(async transaction => {
          await add('lost', transaction);
          throw new Error('failed');
        });
        await assert.rejects(failed, /failed/);
        await parts.transaction(transaction => add('b', transaction));
      });
      assert.deepEqual(await stored(db), ['a', 'b']);
    });
  });

  describe('a prepared query', () => {
    test('is compiled once, for all tenants and values', async () => {
      let compiled = 0;
      const counting = prepare((db, { company }: { company: string }) => {
        compiled++;
        return db
          .selectFrom('clients')
          .select(['company', sql<boolean>`true`.as('flag')])
          .where('company', '=', company);
      });
      assert.equal(compiled, 0);
      for (const company of ['a', 'b']) {
        const db = await newDb();
        await db.transaction(async transaction => {
          for (const name of ['a', 'b']) await add(name, transaction);
          const [rows] = await transaction.run(counting({ company }));
          assert.deepEqual(rows, [{ company, flag: true }]);
        });
      }
      assert.equal(compiled, 1);
    });
  });
});

test('what a transaction defers takes no trip of its own', async () => {
  await using proxy = await countTrips(await migratedUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url });
  const tenant: Tenant = await newTenant(database);
  const db = database.forTenant(tenant);
  const tripsOf = async (work: (transaction: Transaction) => Promise<unknown>): Promise<number> => {
    const before = proxy.trips;
    await db.transaction(work);
    return proxy.trips - before;
  };
  const read = (transaction: Transaction) => transaction.run(companies({ least: '' }));
  await tripsOf(read);
  const alone = await tripsOf(read);
  const deferring = await tripsOf(transaction => {
    for (let count = 0; count < 5; count++) void transaction.defer(companies({ least: 'a' }));
    return read(transaction);
  });
  assert.equal(deferring, alone);
  await database.close();
});
