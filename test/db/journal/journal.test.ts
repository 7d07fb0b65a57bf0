import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Origin } from '../../../src/core/origin.ts';
import type { Transaction } from '../../../src/db/database.ts';
import { newId } from '../../../src/db/ids.ts';
import { numberEntries } from '../../../src/db/journal/number.ts';
import { rehearse } from '../../../src/db/rehearsal.ts';
import { forEachDatabase, newTenant } from '../../support/database.ts';

const origin: Origin = { by: { type: 'api_user', id: 7 }, requestId: 'r-1' };

forEachDatabase((kind, getDatabase) => {
  /** Returns a new tenant's database, and a function that returns its entries. */
  const setUp = async () => {
    const tenant = await newTenant(getDatabase());
    const db = getDatabase().forTenant(tenant, undefined, origin);
    const entries = async () => {
      const text = `select resource, id, change, fields, external_id, by_type, by_id, request_id from journal
        where tenant_id = $1 order by sequence`;
      const [result] = await db.read({ name: null, text, values: [String(tenant.id)] });
      return result?.rows.map(row => row.join(' | ')) ?? [];
    };
    return { db, entries };
  };

  test('a transaction enters each record that it has changed once, with what it has changed', async () => {
    const { db, entries } = await setUp();
    await db.transaction(async transaction => {
      const { kysely } = transaction;
      const ids = await transaction.newIds('languages', 3);
      const rows = ids.map(id => ({ id, code: `c${id}`, name: 'A' }));
      await kysely.insertInto('languages').values(rows).execute();
      await kysely
        .updateTable('languages')
        .set({ name: 'B' })
        .where('id', '=', ids[0] as number)
        .execute();
      await kysely
        .updateTable('languages')
        .set({ active: false })
        .where('id', '=', ids[0] as number)
        .execute();
      await kysely
        .deleteFrom('languages')
        .where('id', '=', ids[1] as number)
        .execute();
    });
    assert.deepEqual(await entries(), [
      'languages | 1 | created | {id,code,name,is_default,active} |  | api_user | 7 | r-1',
      'languages | 3 | created | {id,code,name,is_default,active} |  | api_user | 7 | r-1',
    ]);
    await db.transaction(async ({ kysely }) => {
      await kysely.updateTable('languages').set({ name: 'C' }).where('id', 'in', [1, 3]).execute();
      await kysely.deleteFrom('languages').where('id', '=', 3).execute();
      await kysely.updateTable('languages').set({ name: 'D' }).where('id', '=', 99).execute();
    });
    // An update returns its rows in any order.
    assert.deepEqual((await entries()).slice(2).sort(), [
      'languages | 1 | updated | {name} |  | api_user | 7 | r-1',
      'languages | 3 | deleted | {} |  | api_user | 7 | r-1',
    ]);
  });

  // The embedded database has one connection.
  if (kind === 'postgres')
    test('an entry has no position while a transaction that began before its own is in progress', async () => {
      const tenant = await newTenant(getDatabase());
      const db = getDatabase().forTenant(tenant, undefined, origin);
      const positions = async () => {
        await numberEntries(db);
        const text = 'select id, position from journal where tenant_id = $1 order by id';
        const [result] = await db.read({ name: null, text, values: [String(tenant.id)] });
        return result?.rows.map(([, position]) => position !== null);
      };
      const add = async (transaction: Transaction) => {
        const id = await newId(transaction, 'languages');
        const row = { id, code: `c${id}`, name: 'A' };
        await transaction.kysely.insertInto('languages').values(row).execute();
      };
      const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const open = db.transaction(async transaction => {
        await add(transaction);
        // The id that orders its entries: a server gives it with the first change, a cluster with the entries.
        await transaction.kysely.selectNoFrom(sql`pg_current_xact_id()`.as('id')).execute();
        begun.resolve();
        await ended.promise;
      });
      await begun.promise;
      await db.transaction(add);
      const meanwhile = await positions();
      ended.resolve();
      await open;
      assert.deepEqual([meanwhile, await positions()], [[false], [true, true]]);
    });

  test('the external id of a record is that after the change, of a deleted one the last', async () => {
    const { db, entries } = await setUp();
    const id = await db.transaction(async transaction => {
      const id = await newId(transaction, 'wage_profiles');
      const values = { id, name: 'A', external_id: 'x"1', currency: 'EUR', wage_types: '[]' };
      await transaction.kysely.insertInto('wage_profiles').values(values).execute();
      return id;
    });
    await db.transaction(({ kysely }) => kysely.deleteFrom('wage_profiles').where('id', '=', id).execute());
    assert.deepEqual(
      (await entries()).map(entry => entry.split(' | ')[4]),
      ['x"1', 'x"1'],
    );
  });

  test('what is rolled back has no entry: a transaction, a part of one, a rehearsal', async () => {
    const { db, entries } = await setUp();
    const add = (on: typeof db) =>
      on.transaction(async transaction => {
        const id = await newId(transaction, 'languages');
        await transaction.kysely
          .insertInto('languages')
          .values({ id, code: `c${id}`, name: 'A' })
          .execute();
        return id;
      });
    const failed = new Error('fails');
    await assert.rejects(
      db.transaction(async transaction => {
        await transaction.kysely.insertInto('languages').values({ id: 50, code: 'x', name: 'A' }).execute();
        throw failed;
      }),
      failed,
    );
    await add(rehearse(db));
    const kept = await db.joined(async parts => {
      await add(rehearse(parts));
      const id = await add(parts);
      await assert.rejects(
        parts.transaction(async transaction => {
          await transaction.kysely.updateTable('languages').set({ name: 'Z' }).where('id', '=', id).execute();
          throw failed;
        }),
        failed,
      );
      return id;
    });
    assert.deepEqual(await entries(), [
      `languages | ${kept} | created | {id,code,name,is_default,active} |  | api_user | 7 | r-1`,
    ]);
  });

  test('a change that can’t be entered is rejected before it is made', async () => {
    const { db, entries } = await setUp();
    const text = `update languages set name = 'x' where tenant_id = $1`;
    const values = [String(db.tenant.id)];
    await assert.rejects(
      db.transaction(transaction => transaction.send({ name: null, text, values })),
      /can't be entered in the journal: it does not return the ids/,
    );
    assert.deepEqual(await entries(), []);
  });

  test('no function changes a table that is journalled, and no foreign key does', async () => {
    const { rows } = await sql<{ name: string }>`
      select conrelid::regclass::text as name from pg_constraint
      where contype = 'f' and confdeltype <> 'a' and connamespace = current_schema()::regnamespace
        and conrelid::regclass::text !~ '^(dynamic_|automation_(deliveries|occurrences)$|idempotency_keys$)'
      union all
      select proname from pg_proc
      where pronamespace = current_schema()::regnamespace and prosrc ~* '\\m(insert|update|delete)\\M' and proname !~ '^(tenant_table|enqueue|follow_changes$|clear_tenant$|step_clock$)'`.execute(
      getDatabase().system,
    );
    assert.deepEqual(rows, []);
  });
});
