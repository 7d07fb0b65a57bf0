import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Wakeups } from '../../../src/db/journal/wakeups.ts';
import { startApp } from '../../support/app.ts';
import { forEachDatabase } from '../../support/database.ts';

forEachDatabase((_, getDatabase) => {
  describe('a request that waits for changes', () => {
    it('is answered at once when the server stops, and waits no more afterwards', async () => {
      const database = getDatabase();
      const wakeups = new Wakeups(database.system);
      let waiting = () => {};
      const arrived = new Promise<void>(resolve => {
        waiting = resolve;
      });
      const wait = wakeups.wait.bind(wakeups);
      wakeups.wait = (...asked) => {
        const over = wait(...asked);
        waiting();
        return over;
      };
      const app = await startApp({ ...database, wakeups });
      const client = await app.newClient();
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const began = performance.now();
      const asked = client.call('GET', `/changes?after=${next}&wait=30`);
      await arrived;
      wakeups.stop();
      for (const answer of [await asked, await client.call('GET', `/changes?after=${next}&wait=30`)]) {
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.body, { changes: [], next, caught_up: 1 });
      }
      // Far from the 30 seconds that each would have waited.
      assert.ok(performance.now() - began < 20_000);
      await app.close();
    });
  });
});
