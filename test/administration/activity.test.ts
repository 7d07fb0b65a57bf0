import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { createActivity, readRefused, readUsage, type ServedRequest } from '../../src/tenancy/activity.ts';
import { forAnyDatabase, newTenant } from '../support/database.ts';

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
      operation: 'clients_list',
      class: 'list',
      status: 200,
      code: null,
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
