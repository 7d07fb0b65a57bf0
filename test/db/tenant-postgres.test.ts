import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Statement, TenantDb, Transaction } from '../../src/db/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../src/db/errors.ts';
import { openDatabase } from '../../src/db/open.ts';
import { inMemory, migratedUrl, newTenant, onServer } from '../support/database.ts';
import { countTrips } from '../support/proxies/trips.ts';
import { until } from '../support/until.ts';

const select = (text: string, ...values: string[]): Statement => ({ name: null, text, values });
const isKind = (kind: DatabaseErrorKind) => (error: unknown) => error instanceof DatabaseError && error.kind === kind;

describe('on a Postgres server', () => {
  test('a read takes one trip, a transaction of one statement two', async () => {
    const url = await migratedUrl();
    await using proxy = await countTrips(url);
    const database = openDatabase({ ...inMemory, url: proxy.url });
    const db = database.forTenant(await newTenant(database));
    await db.read(select('select 1'));
    const { trips } = proxy;
    await db.read(select('select 1'), select('select 2'), { name: 'three', text: 'select 3', values: [] });
    assert.equal(proxy.trips - trips, 1);
    await db.snapshot(transaction => transaction.send(select('select 1'), select('select 2')));
    assert.equal(proxy.trips - trips, 3);
    await db.snapshot(transaction => transaction.finish(select('select 1'), select('select 2')));
    assert.equal(proxy.trips - trips, 4, 'a snapshot ends with its last statements');
    await database.close();
  });

  test('a transaction that has ended sends nothing more, and one that is joined goes on', async () => {
    const database = openDatabase({ ...inMemory, url: await migratedUrl(), poolSize: 1 });
    const db = database.forTenant(await newTenant(database));
    const late = async (transaction: Transaction) => {
      const [result] = await transaction.finish(select('select 1'));
      assert.deepEqual(result?.rows, [['1']]);
      return transaction.send(select('select 2'));
    };
    await assert.rejects(db.snapshot(late), /This transaction has ended/);
    await assert.rejects(db.transaction(late), /This transaction has ended/);
    await assert.rejects(
      db.snapshot(transaction => transaction.finish(select('select 1 / 0'))),
      DatabaseError,
    );
    const written = db.joined(async (_, transaction) => {
      await transaction.finish(select('select 1'));
      const [result] = await transaction.send(select('select now() = statement_timestamp()'));
      return result?.rows;
    });
    assert.deepEqual(await written, [['f']]);
    await database.close();
  });

  test('what follows a commit is sent once more where its connection has ended meanwhile', async () => {
    const url = await migratedUrl();
    const database = openDatabase({ ...inMemory, url, poolSize: 1 });
    const db = database.forTenant(await newTenant(database));
    await onServer('create sequence attempts; grant usage on attempts to public', url);
    // With the rights of its owner, as the functions that add jobs have.
    const ending = `create function follow() returns bigint language plpgsql security definer as $$ declare attempt bigint := nextval('attempts');
      begin if attempt = 1 then perform pg_terminate_backend(pg_backend_pid()); end if; return attempt; end $$`;
    await onServer(ending, url);
    await db.transaction(async transaction => {
      await transaction.send(select('select 1'));
      transaction.afterwards(select('select follow()'));
    });
    const { rows } = await onServer('select last_value::integer as attempts from attempts', url);
    assert.deepEqual(rows, [{ attempts: 2 }]);
    await database.close();
  });

  test('what follows a commit is sent again until the database does it, and nobody waits for that', async () => {
    const url = await migratedUrl();
    const database = openDatabase({ ...inMemory, url, poolSize: 1 });
    const db = database.forTenant(await newTenant(database));
    await onServer('create sequence attempts; grant usage on attempts to public', url);
    const ending = `create function follow() returns bigint language plpgsql security definer as $$ declare attempt bigint := nextval('attempts');
      begin if attempt < 4 then perform pg_terminate_backend(pg_backend_pid()); end if; return attempt; end $$`;
    await onServer(ending, url);
    await db.transaction(async transaction => {
      await transaction.send(select('select 1'));
      transaction.afterwards(select('select follow()'));
    });
    const attempts = async () => (await onServer('select last_value::integer as attempts from attempts', url)).rows;
    await until('the fourth attempt', async () => (await attempts())[0]?.attempts === 4);
    await database.close();
  });

  test('a transaction has five seconds for a statement, two for a lock, and ten between two statements', async () => {
    const database = openDatabase({ url: await migratedUrl(), dataDir: 'memory://' });
    const db = database.forTenant(await newTenant(database));
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const setting = select(`select ${names.map(name => `current_setting('${name}')`)}`);
    const settings = [await db.read(setting), await db.transaction(transaction => transaction.send(setting))];
    for (const [result] of settings) assert.deepEqual(result?.rows, [['5s', '2s', '10s']]);
    await database.close();
  });

  test('a statement that takes too long is a timeout, and the connection is used again', async () => {
    const database = openDatabase({ ...inMemory, url: await migratedUrl(), poolSize: 1, statementTimeoutMs: 100 });
    const db = database.forTenant(await newTenant(database));
    const pid = () => db.read(select('select pg_backend_pid()')).then(([result]) => result?.rows[0]?.[0]);
    const before = await pid();
    await assert.rejects(db.read(select('select pg_sleep(5)')), isKind('timeout'));
    assert.equal(await pid(), before);
    await database.close();
  });

  test('what is read for no one any more is given up at once, its connection closed, and what is written is not', async () => {
    const url = await migratedUrl();
    const database = openDatabase({ ...inMemory, url, poolSize: 2 });
    const tenant = await newTenant(database);
    const busy = async () =>
      Number(
        (
          await onServer(
            `select count(*) from pg_stat_activity where query like '%pg_sleep(100)' or query like 'fetch 1%'`,
            url,
          )
        ).rows[0].count,
      );
    const reads: ((db: TenantDb) => Promise<unknown>)[] = [
      db => db.read(select('select pg_sleep(100)')),
      db =>
        db.snapshot(async transaction => {
          await transaction.send(select('declare sleeping cursor for select pg_sleep(100)'));
          return transaction.send(select('fetch 1 from sleeping'));
        }),
    ];
    for (const read of reads) {
      const gone = new AbortController();
      const reading = read(database.forTenant(tenant, gone.signal));
      await until('the statement runs', busy);
      gone.abort();
      await assert.rejects(reading, isKind('timeout'));
      await until('the statement has ended', async () => (await busy()) === 0);
      await assert.rejects(database.forTenant(tenant, gone.signal).read(select('select 1')), isKind('timeout'));
    }
    const gone = new AbortController();
    const writing = database.forTenant(tenant, gone.signal).transaction(async transaction => {
      gone.abort();
      return (await transaction.send(select('select 1')))[0]?.rows;
    });
    assert.deepEqual(await writing, [['1']]);
    await database.close();
  });
});
