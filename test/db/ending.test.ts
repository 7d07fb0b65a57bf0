import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tallies } from '../../src/core/tally.ts';
import type { Statement, TenantDb, Transaction } from '../../src/db/database.ts';
import { plain } from '../../src/db/enter.ts';
import { toDatabaseError } from '../../src/db/errors.ts';
import { newId } from '../../src/db/ids.ts';
import { openDatabase } from '../../src/db/open.ts';
import { readError } from '../../src/db/pool/results.ts';
import { rehearse } from '../../src/db/rehearsal.ts';
import { Trips } from '../../src/db/trips.ts';
import { forEachDatabase, inMemory, migratedUrl, newTenant } from '../support/database.ts';
import { countTrips } from '../support/proxies/trips.ts';

const select = (text: string): Statement => ({ name: null, text, values: [] });
const counting = select('select count(*) from clients');

/** Adds a client with the next trip; `known`: the journal is told before which one it is. */
const add = async (transaction: Transaction, known: boolean, given?: string): Promise<void> => {
  const id = given ?? String(await newId(transaction, 'clients'));
  void transaction.defer({
    name: null,
    text: `insert into clients (tenant_id, id, company, external_id) values ($1, $2, 'C', $3)
      returning id as journal_id, external_id as journal_external_id`,
    values: [String(transaction.tenant.id), id, `E${id}`],
    ...(known && { records: [{ id, externalId: `E${id}` }] }),
  });
};

/** The number of clients and the entries in the journal. */
const stored = async (db: TenantDb) => {
  const entries = select(`select id, external_id, change, array_to_string(fields, ' ') from journal order by sequence`);
  const [clients, journal] = await db.read(counting, entries);
  return [Number(clients?.rows[0]?.[0]), journal?.rows];
};

const entered = [['1', 'E1', 'created', 'id company name external_id']];

forEachDatabase((_, getDatabase) => {
  const newDb = async () => getDatabase().forTenant(await newTenant(getDatabase()));

  describe('the last statements of a transaction', () => {
    for (const known of [true, false]) {
      const label = known ? 'is known before' : 'is told by its results';
      test(`see what it has written, and it is committed with what the journal is told, which ${label}`, async () => {
        const db = await newDb();
        const seen = await db.transaction(async transaction => {
          await add(transaction, known);
          const [result] = await transaction.finish(counting);
          return result?.rows;
        });
        assert.deepEqual(seen, [['1']]);
        assert.deepEqual(await stored(db), [1, entered]);
      });
    }

    test('may change records themselves', async () => {
      const db = await newDb();
      await db.transaction(transaction => add(transaction, true));
      const text = `update clients set company = 'D' where tenant_id = $1
        returning id as journal_id, external_id as journal_external_id`;
      const update = { name: null, text, values: [String(db.tenant.id)] };
      await db.transaction(transaction => transaction.finish(update));
      assert.deepEqual(await stored(db), [1, [...entered, ['1', 'E1', 'updated', 'company name']]]);
    });

    test('end no transaction that they are a part of, nor a rehearsal', async () => {
      const db = await newDb();
      const work = async (transaction: Transaction) => {
        await add(transaction, true);
        await transaction.finish(counting);
      };
      const failed = db.joined(async parts => {
        await parts.transaction(work);
        throw new Error('failed');
      });
      await assert.rejects(failed, /failed/);
      await rehearse(db).transaction(work);
      assert.deepEqual(await stored(db), [0, []]);
    });

    test('leave nothing if one of them fails, or what was deferred, or a proof', async () => {
      const db = await newDb();
      const proving = db.proving({ statement: select('select stale_fields()') });
      const ways: [db: TenantDb, deferred: Statement, last: Statement, kind: string][] = [
        [db, counting, select('select 1 / 0'), 'value'],
        [db, select('select 1 / 0'), counting, 'value'],
        [proving, counting, counting, 'stale'],
      ];
      for (const [db, deferred, last, kind] of ways) {
        const failing = db.transaction(async transaction => {
          await add(transaction, true);
          void transaction.defer(deferred);
          await transaction.finish(last);
        });
        await assert.rejects(failing, { name: 'DatabaseError', kind });
      }
      assert.deepEqual(await stored(db), [0, []]);
    });

    test('count no changes of records that are rejected with them', async () => {
      const db = await newDb();
      const counted = () => [...tallies.changes.entries()].reduce((sum, [, count]) => sum + count, 0);
      const adding = () =>
        db.transaction(async transaction => {
          await add(transaction, true, '1');
          await transaction.finish(counting);
        });
      const before = counted();
      await adding();
      await assert.rejects(adding(), { name: 'DatabaseError', kind: 'unique' });
      assert.equal(counted() - before, 1);
    });

    test('are repeated with the whole transaction after a conflict', async () => {
      const db = await newDb();
      let runs = 0;
      await db.transaction(async transaction => {
        await add(transaction, true);
        if (++runs === 1) void transaction.defer(select(`do $$ begin raise sqlstate '40001'; end $$`));
        await transaction.finish(counting);
      });
      const [clients, entries] = await stored(db);
      assert.deepEqual([runs, clients, (entries as unknown[]).length], [2, 1, 1]);
    });
  });
});

test('a transaction takes no trip to be committed if what the journal is told is known', async () => {
  await using proxy = await countTrips(await migratedUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
  const db = database.forTenant(await newTenant(database));
  const tripsOf = async (work: (transaction: Transaction) => Promise<unknown>): Promise<number> => {
    const before = proxy.trips;
    await db.transaction(work);
    return proxy.trips - before;
  };
  const adding = (id: string, known: boolean) => async (transaction: Transaction) => {
    await add(transaction, known, id);
    await transaction.finish(counting);
  };
  // A process examines a tenant's journal once, with its first transaction.
  await db.transaction(transaction => transaction.finish(counting));
  assert.equal(await tripsOf(transaction => transaction.finish(counting)), 1);
  assert.equal(await tripsOf(adding('1', true)), 1);
  assert.equal(await tripsOf(adding('2', false)), 2);
  assert.equal(await tripsOf(transaction => add(transaction, true, '3')), 1, 'what is deferred alone');
  await database.close();
});

test('an error that the server has sent in the last trip is certain', async () => {
  const url = await migratedUrl();
  const database = openDatabase({ ...inMemory, url, poolSize: 1 });
  const tenant = await newTenant(database);
  const hurried = openDatabase({ ...inMemory, url, poolSize: 1, statementTimeoutMs: 100 });
  const late = hurried.forTenant(tenant).transaction(async transaction => {
    await add(transaction, true);
    await transaction.finish(select('select pg_sleep(5)'));
  });
  await assert.rejects(late, { name: 'DatabaseError', kind: 'timeout' });
  assert.deepEqual(await stored(database.forTenant(tenant)), [0, []]);
  await hurried.close();
  await database.close();
});

test('an error in the last trip that a pooler may have sent, since the connection ends, leaves the outcome uncertain', async () => {
  const ways: [severity: string, code: string, kind: string][] = [
    ['FATAL', '08P01', 'uncertain'],
    // PgBouncer before 1.19, which has lost the server.
    ['ERROR', '08P01', 'uncertain'],
    ['FATAL', '58000', 'uncertain'],
    ['ERROR', '53100', 'unavailable'],
    ['ERROR', '57014', 'timeout'],
  ];
  for (const [severity, code, kind] of ways) {
    const error = readError(Buffer.from(`E....S${severity}\0V${severity}\0C${code}\0Msent\0\0`), 0);
    const connection = {
      send: () => Promise.reject(toDatabaseError(error, 'select 1')),
      cancel: () => {},
      release: () => {},
    };
    const trips = new Trips(connection, { statements: [plain('begin')], owner: 1, deadline: 1000 });
    await assert.rejects(trips.finish([plain('select 1')]), { name: 'DatabaseError', kind }, `${severity} ${code}`);
  }
});
