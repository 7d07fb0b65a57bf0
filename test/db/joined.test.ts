import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Transaction } from '../../src/db/database.ts';
import { newId } from '../../src/db/ids.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';

forEachDatabase((_, getDatabase) => {
  const newDb = async () => getDatabase().forTenant(await newTenant(getDatabase()));
  const add = (company: string) => async (transaction: Transaction) =>
    transaction.kysely
      .insertInto('clients')
      .values({ id: await newId(transaction, 'clients'), company })
      .execute();
  const broken = (transaction: Transaction) => transaction.send({ name: null, text: 'select 1 / 0', values: [] });
  const companies = async (db: Awaited<ReturnType<typeof newDb>>) =>
    db.transaction(async ({ kysely }) =>
      (await kysely.selectFrom('clients').select('company').orderBy('id').execute()).map(({ company }) => company),
    );

  describe('joined transactions', () => {
    test('are one: all of them, or none', async () => {
      const db = await newDb();
      await db.joined(async parts => {
        await Promise.all([parts.transaction(add('a')), parts.transaction(add('b'))]);
        const [seen] = await parts.read({
          name: null,
          text: 'select count(*) from clients where tenant_id = $1',
          values: [String(db.tenant.id)],
        });
        assert.equal(seen?.rows[0]?.[0], '2');
      });
      const failed = db.joined(async parts => {
        await parts.transaction(add('c'));
        throw new Error('failed');
      });
      await assert.rejects(failed, /failed/);
      assert.deepEqual(await companies(db), ['a', 'b']);
    });

    test('take back what failed, by an error of ours or of the database, and let the others go on', async () => {
      const db = await newDb();
      await db.joined(async parts => {
        await parts.transaction(add('a'));
        for (const fail of [broken, () => Promise.reject(new Error('failed'))]) {
          const part = parts.transaction(async transaction => {
            await add('lost')(transaction);
            await fail(transaction);
          });
          await assert.rejects(part);
        }
        await parts.transaction(add('b'));
      });
      assert.deepEqual(await companies(db), ['a', 'b']);
    });

    test('have parts of their own, which are taken back alone or with the whole', async () => {
      const db = await newDb();
      const fail = () => Promise.reject(new Error('failed'));
      await db.joined(async parts => {
        await parts.joined(async inner => {
          await inner.transaction(add('a'));
          await assert.rejects(
            inner.transaction(transaction => add('lost')(transaction).then(fail)),
            /failed/,
          );
          await inner.joined(async innermost => void (await innermost.transaction(add('b'))));
        });
        const part = parts.joined(async inner => {
          await inner.transaction(add('lost'));
          await assert.rejects(inner.transaction(broken));
          await inner.transaction(add('lost too'));
          await fail();
        });
        await assert.rejects(part, /failed/);
        await Promise.all([
          parts.transaction(add('c')),
          parts.joined(async inner => void (await inner.transaction(add('d')))),
        ]);
      });
      assert.deepEqual(await companies(db), ['a', 'b', 'c', 'd']);
    });
  });
});
