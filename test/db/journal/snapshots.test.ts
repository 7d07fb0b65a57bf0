import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { renewStatement } from '../../../src/attributes/registration.ts';
import { versionStatement } from '../../../src/attributes/tenant-fields.ts';
import type { Statement, TenantDb, Transaction } from '../../../src/db/database.ts';
import { newId } from '../../../src/db/ids.ts';
import { type Earlier, SnapshotChecks } from '../../../src/db/journal/snapshots.ts';
import { forEachDatabase, newTenant } from '../../support/database.ts';

type State = Omit<Earlier, 'resources'>;

forEachDatabase((kind, getDatabase) => {
  const newDb = async () => {
    const db = getDatabase().forTenant(await newTenant(getDatabase()));
    await db.transaction(transaction => transaction.send(renewStatement(db.tenant.id)));
    return db;
  };

  const stateOf = async (db: TenantDb): Promise<State> => {
    const { results, snapshot, server } = await db.readAt(versionStatement(db.tenant.id));
    return { version: String(results[0]?.rows[0]?.[0]), snapshot, server };
  };

  const holds = (db: TenantDb, state: State, ...resources: string[]): Promise<boolean> =>
    getDatabase().holds(db.tenant.id, { ...state, resources });

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
    const state = await stateOf(db);
    assert.equal(await holds(db, state, 'languages', 'clients'), true);
    await other.transaction(add);
    assert.equal(await holds(db, state, 'languages', 'clients'), true, 'another tenant');
    await assert.rejects(
      db.transaction(async transaction => {
        await add(transaction);
        throw new Error('fails');
      }),
    );
    assert.equal(await holds(db, state, 'languages', 'clients'), true, 'rolled back');
    await db.transaction(add);
    assert.equal(await holds(db, state, 'clients', 'languages'), false);
    assert.equal(await holds(db, state, 'clients'), true, 'another resource');
    assert.equal(await holds(db, await stateOf(db), 'languages'), true, 'a later snapshot');
  });

  // The embedded database has one connection.
  if (kind === 'postgres')
    test('what was committed before the snapshot, later than a transaction in progress began, is seen by it', async () => {
      const db = await newDb();
      const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const open = db.transaction(async transaction => {
        await add(transaction);
        begun.resolve();
        await ended.promise;
      });
      await begun.promise;
      await db.transaction(add);
      const state = await stateOf(db);
      const before = await holds(db, state, 'languages');
      ended.resolve();
      await open;
      assert.deepEqual([before, await holds(db, state, 'languages')], [true, false]);
    });

  test('it holds for no other version of the fields, and for no other tenant', async () => {
    const [db, other] = [await newDb(), await newDb()];
    const state = await stateOf(db);
    assert.equal(await holds(db, state), true);
    assert.equal(await holds(other, state), false);
    await db.transaction(transaction => transaction.send(renewStatement(db.tenant.id)));
    assert.equal(await holds(db, state), false);
  });

  test('what a snapshot of another server read does not hold, and none that is later than the present one', async () => {
    const db = await newDb();
    const state = await stateOf(db);
    assert.equal(await holds(db, { ...state, server: '1/00000001' }), false);
    assert.equal(await holds(db, { ...state, snapshot: '3000000000:3000000000:' }), false);
    assert.equal(await holds(db, state), true);
  });

  test('each of many questions at once has its own response, whatever tenant it is about', async () => {
    const dbs = [await newDb(), await newDb(), await newDb()];
    const states = await Promise.all(dbs.map(stateOf));
    await dbs[1]?.transaction(add);
    const asked = dbs.flatMap((db, index) =>
      [['languages', 'clients'], ['clients'], []].map(resources => ({ db, index, resources })),
    );
    const responses = await Promise.all(
      asked.map(({ db, index, resources }) => holds(db, states[index] as State, ...resources)),
    );
    const wanted = asked.map(({ index, resources }) => index !== 1 || !resources.includes('languages'));
    assert.deepEqual(responses, wanted);
  });

  test('asking leaves nothing in the session: neither a tenant nor a role', async () => {
    const db = await newDb();
    assert.equal(await holds(db, await stateOf(db)), true);
    const { rows } = await sql<{ tenant: string; role: string }>`
      select coalesce(current_setting('app.tenant_id', true), '') as tenant, current_setting('role') as role`.execute(
      getDatabase().system,
    );
    assert.deepEqual(rows, [{ tenant: '', role: 'none' }]);
  });

  if (kind === 'postgres')
    test('a transaction that was in progress when the snapshot was taken ends what it read, once it commits', async () => {
      const db = await newDb();
      const state = await db.transaction(async transaction => {
        await add(transaction);
        const taken = await stateOf(db);
        // Begun later, and committed before.
        await db.transaction(({ kysely }) => kysely.updateTable('languages').set({ name: 'B' }).execute());
        assert.equal(await holds(db, taken, 'languages'), true);
        return taken;
      });
      assert.equal(await holds(db, state, 'languages'), false);
    });
});

test('a question that comes while a statement is under way is asked by the next one, together with others', async () => {
  const sent: { readonly values: Statement['values']; respond(texts: string | Error): void }[] = [];
  const checks = new SnapshotChecks(
    ({ values }) =>
      new Promise((resolve, reject) => {
        const respond = (given: string | Error) =>
          given instanceof Error ? reject(given) : resolve({ rows: [[given]] });
        sent.push({ values, respond });
      }),
  );
  const state = (snapshot: string): Earlier => ({
    version: 'v',
    snapshot,
    server: 's',
    resources: ['clients', 'events'],
  });
  const [a, b, c] = [state('1:1:'), state('2:5:3,4'), state('6:6:')];
  const first = checks.holds(1, a);
  const later = [checks.holds(1, a), checks.holds(2, b), checks.holds(1, a)];
  assert.equal(sent.length, 1);
  sent[0]?.respond('{f}');
  assert.equal(await first, false);
  const again = checks.holds(3, c);
  assert.deepEqual(sent[1]?.values, [
    '{"1","2"}',
    '{"v","v"}',
    '{"{clients,events}","{clients,events}"}',
    '{"1:1:","2:5:3,4"}',
    '{"s","s"}',
  ]);
  sent[1]?.respond('{t,f}');
  assert.deepEqual(await Promise.all(later), [true, false, true]);
  sent[2]?.respond(new Error('gone'));
  await assert.rejects(again, /gone/);
  const last = checks.holds(3, c);
  sent[3]?.respond('{t}');
  assert.equal(await last, true);
});
