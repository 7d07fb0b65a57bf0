import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import type { Database } from '../../../src/db/open.ts';
import { createTenant } from '../../../src/domain/provision/provision.ts';
import type { Files } from '../../../src/files/files.ts';
import { startSweeper } from '../../../src/server/jobs/sweeper.ts';
import { forAnyDatabase } from '../../support/database.ts';

forAnyDatabase((_, getDatabase) => {
  let database: Database;

  before(async () => {
    database = getDatabase();
    const wanted = { name: 'Swept', hosts: [], modules: [], timeZone: 'UTC', rateLimit: null };
    for (const slug of ['swept', 'swept-too']) await createTenant(database, { ...wanted, slug }, 'test');
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  });
  after(() => mock.timers.reset());

  /** Starts a sweeper whose listing of a tenant's contents fails as soon as `work` does, with the number of the listing. */
  const startWith = (work: (count: number) => Promise<void>) => {
    const logs: Record<string, unknown>[] = [];
    const log = pino({}, { write: (line: string) => void logs.push(JSON.parse(line)) });
    let count = 0;
    const list = async function* () {
      await work(++count);
      yield* [];
    };
    const files = { temporary: '/nowhere', store: { list } } as unknown as Files;
    return { stop: startSweeper(files, database, 90, log), logs, listings: () => count };
  };

  describe('the sweeper', () => {
    it('begins a minute after the start, and stops after what it is doing for a tenant', async () => {
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const { stop, listings } = startWith(() => {
        begun.resolve();
        return gate.promise;
      });
      mock.timers.tick(60_000);
      await begun.promise;
      let stopped = false;
      const stopping = stop().then(() => {
        stopped = true;
      });
      await setImmediate();
      assert.equal(stopped, false);
      gate.resolve();
      await stopping;
      assert.equal(listings(), 1);
    });

    it('goes on after a failure, and logs its task and its tenant', async () => {
      const second = Promise.withResolvers<void>();
      const { stop, logs } = startWith(async count => {
        if (count === 2) second.resolve();
        throw new Error('The storage does not list.');
      });
      mock.timers.tick(60_000);
      await second.promise;
      await stop();
      assert.equal(logs[0]?.task, 'Files without a record');
      assert.equal(typeof logs[0]?.tenant, 'string');
    });
  });
});
