import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import type { TenantDb, Transaction } from '../../src/db/database.ts';
import { DatabaseError } from '../../src/db/errors.ts';
import { IdBlocks } from '../../src/db/id-blocks/blocks.ts';
import { newId } from '../../src/db/ids.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { forEachDatabase, inMemory, migratedUrl, newTenant, openEmbedded } from '../support/database.ts';
import { startPostgresServer } from '../support/postgres-server.ts';

const add = async (transaction: Transaction): Promise<number> => {
  const id = await newId(transaction, 'clients');
  await transaction.kysely
    .insertInto('clients')
    .values({ id, company: `Client ${id}` })
    .execute();
  return id;
};
const idsOf = async (db: TenantDb): Promise<number[]> => {
  const rows = await db.snapshot(({ kysely }) => kysely.selectFrom('clients').select('id').orderBy('id').execute());
  return rows.map(({ id }) => id);
};
const failure = new RangeError('no');
const fail = (): never => {
  throw failure;
};

describe('blocks of ids', () => {
  /** Claims from one counter, as the database does. */
  const counter = () => {
    const counts: number[] = [];
    let next = 1;
    return {
      counts,
      claim: async (count: number) => {
        counts.push(count);
        next += count;
        return next - count;
      },
    };
  };

  it('grow while they are used up within a second, up to 1,000, and shrink when they last longer', async () => {
    let now = 0;
    const blocks = new IdBlocks(() => now);
    const { counts, claim } = counter();
    for (let taken = 0; taken < 5000; taken++) assert.deepEqual(await blocks.take(7, 'a', 1, claim), [taken + 1]);
    assert.deepEqual(counts, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000, 1000, 1000]);
    now += 1000;
    await blocks.take(7, 'a', 5023 - 5000 + 1, claim);
    assert.equal(counts.at(-1), 500);
  });

  it('are as large as what is asked for at once', async () => {
    const { counts, claim } = counter();
    const ids = await new IdBlocks().take(7, 'a', 300, claim);
    assert.deepEqual([ids.length, ids[0], ids.at(-1), ...counts], [300, 1, 300, 300]);
  });

  it('are claimed once for all who wait for one', async () => {
    const blocks = new IdBlocks();
    const { counts, claim } = counter();
    const taken = await Promise.all(Array.from({ length: 16 }, () => blocks.take(7, 'a', 1, claim)));
    assert.deepEqual(
      taken.flat(),
      Array.from({ length: 16 }, (_, index) => index + 1),
    );
    assert.deepEqual(counts, [1, 2, 4, 8, 16]);
  });

  it('are claimed again after a claim that failed', async () => {
    const blocks = new IdBlocks();
    await assert.rejects(blocks.take(7, 'a', 1, fail), failure);
    assert.deepEqual(await blocks.take(7, 'a', 1, counter().claim), [1]);
  });
});

forEachDatabase((name, getDatabase) => {
  const newDb = async (database: Database = getDatabase()) => database.forTenant(await newTenant(database));

  test('each tenant’s ids begin at 1, whatever the others write, and are those of one table', async () => {
    const [one, other] = [await newDb(), await newDb()];
    assert.equal(await one.transaction(add), 1);
    for (let count = 0; count < 20; count++) await other.transaction(add);
    assert.equal(await one.transaction(add), 2);
    assert.equal(await one.transaction(transaction => newId(transaction, 'employees')), 1);
    assert.deepEqual(
      await idsOf(other),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  test('a row without an id is rejected', async () => {
    const db = await newDb();
    const text = `insert into clients (tenant_id, company) values ($1, 'a') returning id as journal_id`;
    await assert.rejects(
      db.transaction(transaction => transaction.send({ name: null, text, values: [String(db.tenant.id)] })),
      DatabaseError,
    );
  });

  test('ids of a transaction that is rolled back are given to nobody twice', async () => {
    const db = await newDb();
    for (let count = 0; count < 10; count++) {
      await assert.rejects(
        db.transaction(async transaction => {
          await add(transaction);
          await transaction.newIds('clients', count);
          fail();
        }),
        failure,
      );
      await db.transaction(add);
    }
    assert.equal(new Set(await idsOf(db)).size, 10);
  });

  test('ids of a part that is taken back are given to nobody twice', async () => {
    const db = await newDb();
    await db.joined(async (parts, whole) => {
      for (let count = 0; count < 6; count++) {
        await parts.transaction(add);
        await assert.rejects(
          parts.transaction(async transaction => {
            await transaction.newIds('clients', 1 + count);
            await add(transaction);
            fail();
          }),
          failure,
        );
        await add(whole);
      }
    });
    await db.transaction(add);
    assert.equal(new Set(await idsOf(db)).size, 13);
  });

  test('16 writers at once get ids of their own', async () => {
    const db = await newDb();
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let count = 0; count < 10; count++) await db.transaction(add);
      }),
    );
    assert.equal((await idsOf(db)).length, 160);
  });

  test('the tenants’ role neither sees nor moves the blocks', async () => {
    const db = await newDb();
    await db.transaction(add);
    for (const text of ['select next from id_blocks', 'update id_blocks set next = 1', 'delete from id_blocks']) {
      const sent = db.transaction(async transaction => {
        // Also behind a claim, which the embedded database makes in the same transaction.
        await transaction.newIds('contacts', 1);
        await transaction.send({ name: null, text, values: [] });
      });
      await assert.rejects(sent, (error: unknown) =>
        /42501/.test(String((error as { cause?: { code?: string } }).cause?.code)),
      );
    }
  });

  if (name === 'embedded') {
    test('a restart gives no id again', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'staffing-ids-'));
      const options = { ...inMemory, dataDir: join(folder, 'data') };
      const first = await openEmbedded(options.dataDir);
      const tenant = await newTenant(first);
      for (let count = 0; count < 5; count++) await first.forTenant(tenant).transaction(add);
      await first.close();
      const second = openDatabase(options);
      await second.forTenant(tenant).transaction(add);
      assert.equal((await idsOf(second.forTenant(tenant))).length, 6);
      await second.close();
      rmSync(folder, { recursive: true });
    });
    return;
  }

  test('no writer waits for another that has taken ids and is still open', async () => {
    const db = await newDb();
    const order: string[] = [];
    await db.transaction(async transaction => {
      await add(transaction);
      await Promise.all(Array.from({ length: 3 }, () => db.transaction(add)));
      order.push('the others');
    });
    order.push('the first');
    assert.deepEqual(order, ['the others', 'the first']);
    assert.deepEqual(await idsOf(db), [1, 2, 3, 4]);
  });

  test('two processes, and one after a restart, give ids that no other has given', async () => {
    const options = { ...inMemory, url: await migratedUrl() };
    const first = openDatabase(options);
    const tenant = await newTenant(first);
    const second = openDatabase(options);
    const write = (database: Database) => database.forTenant(tenant).transaction(add);
    await Promise.all(Array.from({ length: 30 }, (_, index) => write(index % 2 ? first : second)));
    await first.close();
    const third = openDatabase(options);
    await Promise.all(Array.from({ length: 30 }, (_, index) => write(index % 2 ? third : second)));
    assert.equal((await idsOf(third.forTenant(tenant))).length, 60);
    await Promise.all([second.close(), third.close()]);
  });

  test('a crash of the server takes back no ids that a process has claimed', async () => {
    // Nothing else writes the log to the disk before the crash.
    const { url, restart } = await startPostgresServer({ wal_writer_delay: '10s', autovacuum: 'off' });
    const [first, second] = [openDatabase({ ...inMemory, url }), openDatabase({ ...inMemory, url })];
    await first.migrate();
    const tenant = await newTenant(first);
    const claim = (database: Database) =>
      database.forTenant(tenant).transaction(transaction => transaction.newIds('clients', 3));
    await first.system.executeQuery(CompiledQuery.raw('checkpoint'));
    const claimed = await claim(first);
    restart();
    assert.equal(new Set([...claimed, ...(await claim(second))]).size, 6);
    await Promise.all([first.close(), second.close()]);
  });

  test('all connections may be writers that want ids: the claim has one of its own', async () => {
    const database = openDatabase({ ...inMemory, url: await migratedUrl(), poolSize: 2 });
    const db = await newDb(database);
    let begun = 0;
    let all = () => {};
    const both = new Promise<void>(resolve => {
      all = resolve;
    });
    const write = () =>
      db.transaction(async transaction => {
        await transaction.send({ name: null, text: 'select 1', values: [] });
        if (++begun === 2) all();
        await both;
        return add(transaction);
      });
    assert.deepEqual((await Promise.all([write(), write()])).sort(), [1, 2]);
    await database.close();
  });
});
