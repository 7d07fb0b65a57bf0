import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Statement, Transaction } from '../../src/db/database.ts';
import { newId } from '../../src/db/ids.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { SetForm } from '../../src/db/together/set-form.ts';
import { forEachDatabase, inMemory, migratedUrl, newTenant } from '../support/database.ts';
import { countTrips } from '../support/proxies/trips.ts';

const doubled = (name: string): SetForm => ({
  shape: name,
  textFor: () => ({
    name: `${name}_all`,
    text: 'select 2 * v::integer, v from unnest($1::text[]) v',
    slots: [1],
  }),
  ways: { 0: 'shared' },
  gives: 'keyed',
});

/** Doubles a number; `form`: how several do so as one. */
const double = (value: string, form?: SetForm): Statement => ({
  name: null,
  text: 'select 2 * $1::integer',
  values: [value],
  ...(form && { member: { form, cells: ['', value] } }),
});

const firstOf = async (transaction: Transaction, statement: Statement): Promise<string | null | undefined> => {
  const [result] = await transaction.send(statement);
  return result?.rows[0]?.[0];
};

/** Adds a client with the next trip. */
const add = async (transaction: Transaction, company: string): Promise<void> => {
  const id = String(await newId(transaction, 'clients'));
  void transaction.defer({
    name: null,
    text: `insert into clients (tenant_id, id, company) values ($1, $2, $3)
      returning id as journal_id, external_id as journal_external_id`,
    values: [String(transaction.tenant.id), id, company],
    records: [{ id, externalId: null }],
  });
};

forEachDatabase((_, getDatabase) => {
  const newDb = async () => getDatabase().forTenant(await newTenant(getDatabase()));
  const stored = async (db: Awaited<ReturnType<typeof newDb>>) => {
    const select = (text: string): Statement => ({ name: null, text, values: [] });
    const [clients, entries] = await db.read(
      select('select company from clients order by company'),
      select('select count(*) from journal'),
    );
    return [clients?.rows.map(([company]) => company), Number(entries?.rows[0]?.[0])];
  };

  describe('work that is done together', () => {
    test('gets the rows of its own statements, whatever others send before and after', async () => {
      const db = await newDb();
      const one = doubled('one');
      const two = doubled('two');
      const found = await db.transaction(transaction =>
        transaction.together([
          async own => [await firstOf(own, double('1', one)), await firstOf(own, double('2', two))],
          async own => [await firstOf(own, double('3', two)), await firstOf(own, double('4', one))],
          async own =>
            (await own.send(double('5', one), double('6'), double('7', two))).map(({ rows }) => rows[0]?.[0]),
          async () => [],
        ]),
      );
      assert.deepEqual(
        found.map(result => result.status === 'fulfilled' && result.value),
        [['2', '4'], ['6', '8'], ['10', '12', '14'], []],
      );
    });

    test('keeps what it has written, and its entries in the journal, except for work that throws before', async () => {
      const db = await newDb();
      const settled = await db.transaction(transaction =>
        transaction.together([
          own => add(own, 'A'),
          async own => {
            await add(own, 'B');
            throw new Error('refused');
          },
          own => add(own, 'C'),
        ]),
      );
      assert.deepEqual(
        settled.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual(await stored(db), [['A', 'C'], 2]);
    });

    test('keeps nothing if one throws after it has written', async () => {
      const db = await newDb();
      const whole = db.transaction(transaction =>
        transaction.together([
          own => add(own, 'A'),
          async own => {
            await add(own, 'B');
            await own.send(double('1'));
            throw new Error('refused late');
          },
        ]),
      );
      await assert.rejects(whole, /refused late/);
      assert.deepEqual(await stored(db), [[], 0]);
    });

    test('keeps nothing if a statement fails, and each piece of work gets the error', async () => {
      const db = await newDb();
      const errors: unknown[] = [];
      const sending = (value: string) => async (own: Transaction) => {
        await add(own, value);
        await own.send(double(value)).catch(error => errors.push(error));
      };
      const whole = db.transaction(transaction => transaction.together([sending('1'), sending('no number')]));
      await assert.rejects(whole, { name: 'DatabaseError', kind: 'value' });
      assert.equal(errors.length, 2);
      assert.deepEqual(await stored(db), [[], 0]);
    });

    test('is a part of a transaction like any other', async () => {
      const db = await newDb();
      await db.joined(async parts => {
        const failed = parts.transaction(async transaction => {
          await transaction.together([own => add(own, 'A')]);
          throw new Error('undone');
        });
        await assert.rejects(failed, /undone/);
        await parts.transaction(transaction => transaction.together([own => add(own, 'B'), own => add(own, 'C')]));
      });
      assert.deepEqual(await stored(db), [['B', 'C'], 2]);
    });
  });
});

test('work that is done together sends statements of one form as one, in one trip', async () => {
  await using proxy = await countTrips(await migratedUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
  const db = database.forTenant(await newTenant(database));
  const costOf = (count: number) =>
    db.transaction(async transaction => {
      await transaction.send(double('0'));
      const before = [proxy.trips, proxy.statements] as const;
      const one = doubled('one');
      const two = doubled('two');
      const works = Array.from({ length: count }, (_, index) => async (own: Transaction) => {
        await own.send(double(String(index), one));
        await own.send(double(String(index), two), double(String(index), one));
      });
      await transaction.together(works);
      return [proxy.trips - before[0], proxy.statements - before[1]];
    });
  assert.deepEqual(await costOf(2), [2, 3]);
  assert.deepEqual(await costOf(100), [2, 3]);
  await database.close();
});
