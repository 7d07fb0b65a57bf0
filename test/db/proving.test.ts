import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Statement, TenantDb } from '../../src/db/database.ts';
import { newId } from '../../src/db/ids.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';

const one: Statement = { name: null, text: 'select 1', values: [] };

forEachDatabase((_, getDatabase) => {
  const newDb = async () => getDatabase().forTenant(await newTenant(getDatabase()));
  const add = (db: TenantDb) =>
    db.transaction(async transaction => {
      const id = await newId(transaction, 'clients');
      return transaction.kysely.insertInto('clients').values({ id, company: 'C' }).execute();
    });
  const ways: [label: string, use: (db: TenantDb) => Promise<unknown>][] = [
    ['a read', db => db.read(one)],
    ['a snapshot', db => db.snapshot(transaction => transaction.send(one))],
    ['a transaction', add],
    ['joined transactions', db => db.joined(parts => add(parts))],
  ];

  describe('a proof', () => {
    for (const [label, use] of ways) {
      test(`is made by ${label}, which goes on with its own results only`, async () => {
        const statement = { name: null, text: `select 'proof'`, values: [] };
        const seen: unknown[] = [];
        const db = (await newDb()).proving({ statement, verified: ([first]) => void seen.push(first) });
        assert.equal(db.proved, false);
        await use(db);
        assert.deepEqual([db.proved, seen], [true, ['proof']]);
        const [result] = await db.read(one);
        assert.deepEqual(result?.rows, [['1']]);
      });

      test(`that fails ends ${label}, and nothing is stored`, async () => {
        const db = await newDb();
        const proving = db.proving({ statement: { name: null, text: 'select stale_fields()', values: [] } });
        await assert.rejects(use(proving), { name: 'DatabaseError', kind: 'stale' });
        assert.equal(proving.proved, false);
        assert.equal(
          (await db.snapshot(({ kysely }) => kysely.selectFrom('clients').select('id').execute())).length,
          0,
        );
      });
    }
  });
});
