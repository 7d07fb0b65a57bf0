import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TenantDb, Transaction } from '../../../src/db/database.ts';
import { newId } from '../../../src/db/ids.ts';
import { holdsStatement, snapshotStatement } from '../../../src/db/journal/snapshots.ts';
import { forEachDatabase, newTenant } from '../../support/database.ts';

forEachDatabase((kind, getDatabase) => {
  const newDb = async () => getDatabase().forTenant(await newTenant(getDatabase()));

  const snapshotOf = async (db: TenantDb): Promise<string> => {
    const [result] = await db.read(snapshotStatement);
    return String(result?.rows[0]?.[0]);
  };

  const holds = async (db: TenantDb, snapshot: string, ...resources: string[]): Promise<boolean> => {
    const [result] = await db.read(holdsStatement(db.tenant.id, resources, snapshot));
    return result?.rows[0]?.[0] === 't';
  };

  const add = async (transaction: Transaction) => {
    const id = await newId(transaction, 'languages');
    await transaction.kysely
      .insertInto('languages')
      .values({ id, code: `c${id}`, name: 'A' })
      .execute();
  };

  test('what a snapshot read holds until a change of those resources of that tenant is committed', async () => {
    const [db, other] = [await newDb(), await newDb()];
    await db.transaction(add);
    const snapshot = await snapshotOf(db);
    assert.equal(await holds(db, snapshot, 'languages', 'clients'), true);
    await other.transaction(add);
    assert.equal(await holds(db, snapshot, 'languages', 'clients'), true, 'another tenant');
    await assert.rejects(
      db.transaction(async transaction => {
        await add(transaction);
        throw new Error('fails');
      }),
    );
    assert.equal(await holds(db, snapshot, 'languages', 'clients'), true, 'rolled back');
    await db.transaction(add);
    assert.equal(await holds(db, snapshot, 'clients', 'languages'), false);
    assert.equal(await holds(db, snapshot, 'clients'), true, 'another resource');
    assert.equal(await holds(db, await snapshotOf(db), 'languages'), true, 'a later snapshot');
  });

  if (kind === 'postgres')
    test('a transaction that was in progress when the snapshot was taken ends what it read, once it commits', async () => {
      const db = await newDb();
      const snapshot = await db.transaction(async transaction => {
        await add(transaction);
        const taken = await snapshotOf(db);
        // Begun later, and committed before.
        await db.transaction(({ kysely }) => kysely.updateTable('languages').set({ name: 'B' }).execute());
        assert.equal(await holds(db, taken, 'languages'), true);
        return taken;
      });
      assert.equal(await holds(db, snapshot, 'languages'), false);
    });
});
