import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Statement } from '../../src/db/database.ts';
import type { OwnerTransaction } from '../../src/db/owner.ts';
import { createActivity, readRefused, readUsage, type ServedRequest } from '../../src/tenancy/activity.ts';
import { keepOwn, readOwn } from '../../src/tenancy/own-requests.ts';
import { citusPrograms } from '../support/citus.ts';
import { forAnyDatabase, newTenant } from '../support/database.ts';

const skip = citusPrograms && 'Citus plans on its nodes';

const none: Statement = { name: null, text: '', values: [] };

const fail = (error: unknown): never => {
  throw error;
};

forAnyDatabase((_, getDatabase) => {
  const scene = async () => {
    const database = getDatabase();
    const { id: tenantId } = await newTenant(database);
    const request: ServedRequest = {
      tenantId,
      apiUserId: 1,
      tokenId: null,
      method: 'GET',
      operation: 'clients_list',
      path: '/clients',
      class: 'list',
      status: 200,
      code: null,
      milliseconds: 3,
      requestId: 'r',
    };
    return { database, tenantId, request };
  };

  describe('the usage', () => {
    test('adds up over flushes and processes', async () => {
      const { database, tenantId, request } = await scene();
      const activities = [createActivity(database, fail), createActivity(database, fail)];
      for (let round = 0; round < 2; round++)
        for (const activity of activities) {
          activity.record(request);
          activity.record({ ...request, status: 404 });
          await activity.flush();
        }
      const rows = await readUsage(database, tenantId, 1);
      assert.deepEqual(
        rows.map(({ requests, refused }) => [requests, refused]),
        [[8, 4]],
      );
    });

    test('is kept until it can be written', async () => {
      const { database, tenantId, request } = await scene();
      let broken = true;
      const failures: unknown[] = [];
      const asOwner: typeof database.asOwner = (...args) =>
        broken ? Promise.reject(new Error('down')) : database.asOwner(...args);
      const activity = createActivity({ asOwner }, error => failures.push(error));
      activity.record(request);
      await activity.flush();
      activity.record(request);
      broken = false;
      await activity.flush();
      assert.equal(failures.length, 1);
      assert.equal((await readUsage(database, tenantId, 1))[0]?.requests, 2);
    });
  });

  describe('the requests of an API user', () => {
    test('are the last thousand, of all processes, whatever others send', async () => {
      const { database, tenantId, request } = await scene();
      let now = new Date(Date.now() - 3_600_000);
      const activities = [1, 2].map(() => createActivity(database, fail, () => now));
      for (const user of [7, 8])
        for (let sent = 0; sent < 1100; sent++) {
          now = new Date(now.getTime() + 1000);
          activities[sent % 2]?.record({ ...request, apiUserId: user, requestId: `${user} ${sent}` });
          if (sent % 500 === 0) for (const activity of activities) await activity.flush();
        }
      activities[0]?.record({ ...request, apiUserId: 9, requestId: 'one' });
      activities[0]?.record({ ...request, apiUserId: null, requestId: 'nobody' });
      for (const activity of activities) await activity.flush();
      for (const user of [7, 8]) {
        const kept = await readOwn(database, tenantId, user, 2000);
        assert.deepEqual(
          kept.map(({ request_id }) => request_id),
          Array.from({ length: 1000 }, (_, place) => `${user} ${1099 - place}`),
        );
      }
      assert.equal((await readOwn(database, tenantId, 9, 2000)).length, 1);
    });

    test('are pruned without being counted once for each of them', { skip }, async () => {
      const { database, tenantId } = await scene();
      const request = { method: 'GET', operation: null, path: null, status: 404, code: null, milliseconds: 3 };
      const own = Array.from({ length: 1100 }, () => ({ ...request, at: new Date(), requestId: 'r' }));
      const pruned = await database.asOwner(tenantId, async transaction => {
        const sent: Statement[] = [];
        const send: OwnerTransaction['send'] = async (...statements) => {
          sent.push(...statements);
          return [];
        };
        await keepOwn(new Map([[1, own]]), { ...transaction, send });
        const [{ text, values } = none] = sent;
        // As for a statement that is sent often.
        const plain = (sql: string) => transaction.send({ name: null, text: sql, values: [] });
        await plain('set local plan_cache_mode = force_generic_plan');
        await plain(`prepare pruned as ${text}`);
        const [plan] = await plain(
          `explain (analyze, timing off) execute pruned(${values.map(value => `'${value}'`)})`,
        );
        await plain('deallocate pruned');
        return plan?.rows.flat().map(String) ?? [];
      });
      assert.ok(
        pruned.some(line => /^Delete /.test(line)),
        pruned.join('\n'),
      );
      assert.deepEqual(
        pruned.filter(line => /loops=(?![01]\b)/.test(line)),
        [],
      );
      assert.equal((await readOwn(database, tenantId, 1, 2000)).length, 1000);
    });

    test('are kept until they can be written, a thousand at most', async () => {
      const { database, tenantId, request } = await scene();
      let broken = true;
      const asOwner: typeof database.asOwner = (...args) =>
        broken ? Promise.reject(new Error('down')) : database.asOwner(...args);
      const activity = createActivity({ asOwner }, () => {});
      for (let sent = 0; sent < 1500; sent++) {
        activity.record({ ...request, requestId: `${sent}` });
        if (sent % 700 === 0) await activity.flush();
      }
      broken = false;
      await activity.flush();
      const kept = await readOwn(database, tenantId, 1, 2000);
      assert.deepEqual([kept.length, kept[0]?.request_id, kept.at(-1)?.request_id], [1000, '1499', '500']);
    });
  });

  describe('refused requests', () => {
    test('of API users are not displaced by those of unknown senders', async () => {
      const { database, tenantId, request } = await scene();
      const activity = createActivity(database, fail);
      activity.record({ ...request, status: 404, requestId: 'own' });
      for (let flush = 0; flush < 12; flush++) {
        for (let sent = 0; sent < 150; sent++) activity.record({ ...request, apiUserId: null, status: 401 });
        await activity.flush();
      }
      const rows = await readRefused(database, tenantId, 5_000);
      assert.ok(rows.some(({ request_id }) => request_id === 'own'));
      assert.equal(rows.length, 1 + 1_000);
    });

    test('are bounded by number, and by the seven days for which they are kept', async () => {
      const { database, tenantId, request } = await scene();
      let now = new Date(Date.now() - 8 * 86_400_000);
      const activity = createActivity(database, fail, () => now);
      activity.record({ ...request, status: 500, requestId: 'old' });
      await activity.flush();
      assert.deepEqual(await readRefused(database, tenantId, 10), []);
      now = new Date();
      // A flood: of each flush, the latest are kept.
      for (let count = 0; count < 5000; count++) activity.record({ ...request, status: 401, requestId: `r${count}` });
      await activity.flush();
      const flood = await readRefused(database, tenantId, 1000);
      assert.equal(flood.length, 100);
      for (let round = 1; round <= 15; round++) {
        now = new Date(now.getTime() + 1000);
        for (let count = 0; count < 100; count++) activity.record({ ...request, status: 400, requestId: `${round}` });
        await activity.flush();
      }
      const kept = await database.asOwner(tenantId, ({ kysely }) =>
        kysely
          .selectFrom('refused_requests')
          .select(sql<number>`count(*)::integer`.as('count'))
          .executeTakeFirstOrThrow(),
      );
      assert.equal(kept.count, 1000);
      assert.equal((await readRefused(database, tenantId, 1))[0]?.request_id, '15');
    });
  });
});
