import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseError } from '../../../src/db/errors.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { type Release, type TurnOwner, Turns } from '../../../src/db/pool/turns.ts';
import { inMemory, migratedUrl, newTenant } from '../../support/database.ts';

const unavailable = (error: unknown) => error instanceof DatabaseError && error.kind === 'unavailable';
const forever = Number.POSITIVE_INFINITY;

/** Places whose owners take and leave them one at a time; `served` has the owners in the order of their turns. */
const newTurns = (places: number) => {
  const turns = new Turns(places);
  const served: TurnOwner[] = [];
  const leaves: Release[] = [];
  const take = (owner: TurnOwner) =>
    void turns.take(owner, forever).then(leave => {
      served.push(owner);
      leaves.push(leave);
    });
  const settled = () => new Promise(resolve => setImmediate(resolve));
  /** The owner that has had its place for longest leaves it. */
  const leave = async () => {
    leaves.shift()?.();
    await settled();
  };
  return { turns, served, take, leave, settled };
};

describe('places', () => {
  test('are given in turn to the owners that wait, whatever their number of requests', async () => {
    const { turns, served, take, leave, settled } = newTurns(1);
    for (const owner of [1, 1, 1, 1, 2, 2, null, 3]) take(owner);
    await settled();
    while (turns.wanted) await leave();
    assert.deepEqual(served, [1, 1, 2, null, 3, 1, 2, 1]);
  });

  test('go first to the owner that has the fewest', async () => {
    const { served, take, leave, settled } = newTurns(4);
    for (const owner of [1, 1, 1, 2, 1, 1, 2, 3, 2]) take(owner);
    await settled();
    assert.deepEqual(served, [1, 1, 1, 2]);
    for (let left = 5; left > 0; left--) await leave();
    assert.deepEqual(served.slice(4), [3, 1, 2, 1, 2]);
  });

  test('are left to others by a tenant that has four fifths of them, not by the service itself', async () => {
    const { served, take, leave, settled } = newTurns(10);
    for (let each = 0; each < 12; each++) take(1);
    await settled();
    assert.equal(served.length, 8);
    take(2);
    take(null);
    await settled();
    assert.deepEqual(served.slice(8), [2, null]);
    await leave();
    assert.deepEqual(served.slice(10), [1]);
    const own = newTurns(10);
    for (let each = 0; each < 12; each++) own.take(null);
    await own.settled();
    assert.equal(own.served.length, 10);
  });

  test('are not taken by one whose timeout has passed', async () => {
    const turns = new Turns(1);
    const leave = await turns.take(1, forever);
    await assert.rejects(turns.take(2, 1), unavailable);
    assert.equal(turns.wanted, false);
    leave();
    leave();
    const again = await turns.take(3, 1);
    await assert.rejects(turns.take(3, 1), unavailable);
    again();
  });
});

describe('the connections of a Postgres server', () => {
  const select = { name: null, text: 'select 1', values: [] };

  /** A database with `poolSize` connections and two tenants, the first of which has `held` transactions and more requests that wait. */
  const flood = async (poolSize: number, held: number) => {
    const database = openDatabase({ ...inMemory, url: await migratedUrl(), poolSize });
    const [one, other] = [await newTenant(database), await newTenant(database)].map(tenant =>
      database.forTenant(tenant),
    ) as [ReturnType<typeof database.forTenant>, ReturnType<typeof database.forTenant>];
    const ends: (() => void)[] = [];
    const working = Array.from({ length: held }, () => {
      const begun = Promise.withResolvers<void>();
      const done = one.transaction(async transaction => {
        await transaction.send(select);
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.push(resolve);
        begun.resolve();
        await promise;
      });
      return { begun: begun.promise, done };
    });
    await Promise.all(working.map(({ begun }) => begun));
    const served: string[] = [];
    const waiting = Array.from({ length: 20 }, () => one.read(select).then(() => served.push('one')));
    const close = async () => {
      for (const end of ends) end();
      await Promise.all([...waiting, ...working.map(({ done }) => done)]);
      await database.close();
    };
    return { other, served, release: () => ends.shift()?.(), close };
  };

  test('serve another tenant next, however many requests of one tenant wait', async () => {
    const { other, served, release, close } = await flood(2, 2);
    const asked = other.read(select).then(() => served.push('other'));
    release();
    await asked;
    assert.deepEqual(served, ['other']);
    await close();
    assert.equal(served.length, 21);
  });

  test('are not all held by one tenant', async () => {
    const { other, served, close } = await flood(5, 4);
    await other.read(select);
    assert.deepEqual(served, []);
    await close();
    assert.equal(served.length, 20);
  });

  test('are waited for as long as the configured timeout', async () => {
    const database = openDatabase({ ...inMemory, url: await migratedUrl(), poolSize: 1, poolTimeoutMs: 1000 });
    const db = database.forTenant(await newTenant(database));
    await db.transaction(async transaction => {
      await transaction.send(select);
      await Promise.all([assert.rejects(db.read(select), unavailable), assert.rejects(database.ping(), unavailable)]);
    });
    await db.read(select);
    await database.close();
  });
});
