import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Connection, Pool } from '../../../src/db/connection.ts';
import { plain } from '../../../src/db/enter.ts';
import { DatabaseError } from '../../../src/db/errors.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { embeddedPool, postgresPool } from '../../../src/db/pool/pool.ts';
import { askOnce } from '../../../src/db/transaction.ts';
import { inMemory, onServer, scratchUrl, serverUrl } from '../../support/database.ts';
import { chosenDatabases, type DatabaseName, databaseWords } from '../../support/databases.ts';
import { embeddedTemplate } from '../../support/template.ts';

/** Milliseconds. */
const timeout = 60_000;

const unavailable = (error: unknown) => error instanceof DatabaseError && error.kind === 'unavailable';
const ignore = () => {};

const first = async (
  connection: Connection,
  text: string,
  name: string | null = null,
): Promise<string | null | undefined> => (await connection.send([{ name, text, values: [] }]))[0]?.rows[0]?.[0];

const using = async <T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> => {
  // An embedded database that opens anew takes its time.
  const connection = await pool.connect(30_000);
  return work(connection).finally(() => connection.release());
};

const pools: Readonly<Record<DatabaseName, (prepared: boolean) => Promise<Pool>>> = {
  embedded: async prepared =>
    embeddedPool('memory://', { timeout, prepared, onIdleError: ignore }, await embeddedTemplate()),
  postgres: async prepared => postgresPool(await serverUrl(), { size: 1, timeout, prepared, onIdleError: ignore }),
};

const known = `select count(*) from pg_prepared_statements where name like 'n%'`;

for (const name of chosenDatabases.each)
  describe(`a connection of ${databaseWords[name]}`, () => {
    const open = pools[name];
    let pool: Pool;
    before(async () => {
      pool = await open(true);
    });
    after(() => pool.end());

    test('keeps a bounded number of named statements, the ones last used', async () => {
      await using(pool, async connection => {
        for (let i = 0; i < 700; i++) {
          assert.equal(await first(connection, `select ${i}`, `n${i}`), String(i));
          assert.equal(await first(connection, 'select -1', 'n_often'), '-1');
        }
        assert.equal(await first(connection, known), '500');
        assert.equal(await first(connection, `${known} and name in ('n_often', 'n699', 'n300')`), '3');
        assert.equal(await first(connection, `${known} and name = 'n0'`), '0');
        assert.equal(await first(connection, 'select 0', 'n0'), '0');
      });
    });

    test('gives up names in a failed transaction, too', async () => {
      await using(pool, async connection => {
        for (let i = 0; i < 500; i++) await first(connection, `select ${i}`, `n${i}`);
        const failing = [plain('begin'), plain('select nonsense'), { name: 'n500', text: 'select 500', values: [] }];
        await assert.rejects(connection.send(failing), DatabaseError);
        await connection.send([plain('rollback')]);
        for (const i of [0, 500, 1]) assert.equal(await first(connection, `select ${i}`, `n${i}`), String(i));
        assert.ok(Number(await first(connection, known)) <= 500);
      });
    });

    test('names no statement where that is turned off', async () => {
      const unnamed = await open(false);
      await using(unnamed, async connection => {
        assert.equal(await first(connection, 'select 1', 'n1'), '1');
        assert.equal(await first(connection, known), '0');
      });
      await unnamed.end();
    });

    test('that is handed back inside a transaction is not used again', async () => {
      await using(pool, connection => connection.send([plain('begin'), plain(`set local lock_timeout = '7s'`)]));
      assert.equal(await using(pool, connection => first(connection, 'show lock_timeout')), '0');
    });
  });

describe('a pool', () => {
  test('without a free connection says so in time, and serves again when one is free', async () => {
    const pool = postgresPool(await serverUrl(), { size: 1, timeout, prepared: true, onIdleError: ignore });
    const held = await pool.connect();
    await assert.rejects(pool.connect(50), unavailable);
    held.release();
    assert.equal(await using(pool, connection => first(connection, 'select 1')), '1');
    await pool.end();
  });

  test('waits for a connection as long as it was told to, and no longer', { timeout: 60_000 }, async () => {
    const pool = postgresPool(await serverUrl(), { size: 1, timeout: 500, prepared: true, onIdleError: ignore });
    const held = await pool.connect();
    const asked = performance.now();
    await assert.rejects(pool.connect(), unavailable);
    const waited = performance.now() - asked;
    assert.ok(waited > 490 && waited < 30_000, `It waited for ${waited} ms.`);
    held.release();
    await pool.end();
  });

  test('survives the end of its connections, idle or at work', async () => {
    const errors: Error[] = [];
    const url = await scratchUrl();
    const pool = postgresPool(url, { size: 2, timeout, prepared: true, onIdleError: error => errors.push(error) });
    const end = (pid: string | null | undefined) => onServer(`select pg_terminate_backend(${pid}, 5000)`);
    const idle = await using(pool, connection => first(connection, 'select pg_backend_pid()'));
    await end(idle);
    await using(pool, connection => first(connection, 'select 1')).catch(ignore);
    const working = await pool.connect();
    const pid = await first(working, 'select pg_backend_pid()');
    const sleeping = assert.rejects(working.send([plain('select pg_sleep(60)')]), unavailable);
    await end(pid);
    await sleeping;
    working.release();
    assert.equal(await using(pool, connection => first(connection, 'select 1')), '1');
    await pool.end();
    assert.ok(errors.length <= 1);
  });

  test('survives that a connection ends in the moment in which it is ready', async () => {
    const said = (code: string, body: Buffer): Buffer => {
      const head = Buffer.from([code.charCodeAt(0), 0, 0, 0, 0]);
      head.writeInt32BE(4 + body.length, 1);
      return Buffer.concat([head, body]);
    };
    const reason = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
    const ready = [said('R', Buffer.alloc(4)), said('Z', Buffer.from('I')), said('E', reason)];
    const server = createServer(socket => {
      socket.on('error', ignore).once('data', () => socket.end(Buffer.concat(ready)));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`;
    const pool = postgresPool(url, { size: 1, timeout, prepared: true, onIdleError: ignore });
    for (const _ of [1, 2])
      await assert.rejects(
        using(pool, connection => first(connection, 'select 1')),
        unavailable,
      );
    await pool.end();
    server.close();
  });

  test('asks once if what it asks meets a lock', async () => {
    const question = {
      ...plain(`do $$ begin raise exception 'locked' using errcode = '55P03'; end $$`),
      name: 'locked',
    };
    const pool = postgresPool(await serverUrl(), { size: 1, timeout, prepared: true, onIdleError: ignore });
    let asked = 0;
    const connect: Pool['connect'] = (...wanted) => {
      asked++;
      return pool.connect(...wanted);
    };
    const once = askOnce({ ...pool, connect }, question, { owner: null, deadline: timeout });
    await assert.rejects(once, { kind: 'unavailable' });
    assert.equal(asked, 1);
    await pool.end();
  });

  test('a deadline longer than any timer does not end a statement', async () => {
    const pool = postgresPool(await serverUrl(), { size: 1, timeout, prepared: true, onIdleError: ignore });
    const [result] = await using(pool, connection => connection.send([plain('select pg_sleep(0.1), 1')], 2 ** 31));
    assert.equal(result?.rows[0]?.[1], '1');
    await pool.end();
  });

  test('asks again if the columns of what it asks have changed', async () => {
    const pool = postgresPool(await scratchUrl(), { size: 1, timeout, prepared: true, onIdleError: ignore });
    const question = { name: 'all', text: 'select * from asked', values: [] };
    await using(pool, connection => connection.send([plain('create table asked as select 1 as one')]));
    assert.deepEqual((await askOnce(pool, question, { owner: null, deadline: timeout })).rows, [['1']]);
    await using(pool, connection => connection.send([plain('alter table asked add two integer default 2')]));
    assert.deepEqual((await askOnce(pool, question, { owner: null, deadline: timeout })).rows, [['1', '2']]);
    await pool.end();
  });

  test('logs the end of an idle connection without what the connection holds', async () => {
    const url = await scratchUrl();
    const { promise, resolve } = Promise.withResolvers<object>();
    const database = openDatabase({ ...inMemory, url, log: { warn: resolve } });
    const { rows } = await database.ask({ name: null, text: 'select pg_backend_pid()', values: [] });
    await onServer(`select pg_terminate_backend(${rows[0]?.[0]}, 5000)`);
    const logged = await promise;
    assert.deepEqual(Object.keys(logged), ['cause']);
    assert.match(JSON.stringify(logged), /terminat/);
    await database.close();
  });

  test('of a server that cannot be reached opens, and fails only when it is used', async () => {
    const database = openDatabase({ ...inMemory, url: 'postgres://nobody@127.0.0.1:1/none' });
    await assert.rejects(database.ping(), unavailable);
    await assert.rejects(database.pendingMigrations(), unavailable);
    await database.close();
  });
});
