import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Transaction } from '../../src/db/database.ts';
import { newId } from '../../src/db/ids.ts';
import { rehearse } from '../../src/db/rehearsal.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';

forEachDatabase((_, getDatabase) => {
  const newDb = async () => getDatabase().forTenant(await newTenant(getDatabase()));
  const add = async (transaction: Transaction) => {
    const { kysely } = transaction;
    await kysely
      .insertInto('clients')
      .values({ id: await newId(transaction, 'clients'), company: 'a' })
      .execute();
    return (await kysely.selectFrom('clients').select('company').execute()).length;
  };

  describe('a rehearsal', () => {
    test('shows what a transaction would do, and stores nothing', async () => {
      const db = await newDb();
      assert.equal(await rehearse(db).transaction(add), 1);
      assert.equal(await db.transaction(add), 1);
    });

    test('stores nothing of joined transactions, either', async () => {
      const db = await newDb();
      const seen = await rehearse(db).joined(async (parts, whole) => [await parts.transaction(add), await add(whole)]);
      assert.deepEqual(seen, [1, 2]);
      assert.equal(await db.transaction(add), 1);
    });

    test('passes errors on', async () => {
      const db = await newDb();
      const fail = () => Promise.reject(new Error('failed'));
      await assert.rejects(rehearse(db).transaction(fail), /failed/);
      await assert.rejects(rehearse(db).joined(fail), /failed/);
    });
  });
});
