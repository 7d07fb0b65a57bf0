import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../../src/demo/random.ts';
import { followConflicts } from '../../../src/domain/conflicts/follow.ts';
import { finishConflicts, rebuildConflicts } from '../../../src/domain/conflicts/rebuild.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { Writer } from './writer.ts';

/** Random writes on each database, by seed. */
const WRITES = Number(process.env.CONFLICT_WRITES ?? 100);
/** Writes after which all work is judged again. */
const LOOK = 25;

forEachApp((_, app) => {
  describe('after random writes', () => {
    it('a rebuild changes no conflict', async () => {
      const client = await app.newClient();
      const random = createRandom(2036);
      const db = client.database.forTenant(client.tenant);
      const writer = new Writer(client, random);
      await writer.begin();
      let written: string[] = [];
      let most = 0;
      for (let count = 1; count <= WRITES; count++) {
        written.push(await writer.write());
        // The worker is sometimes fast and sometimes slow.
        if (random.chance(0.5)) await followConflicts(db);
        if (count % LOOK > 0 && count < WRITES) continue;
        await finishConflicts(db);
        const stored = (await client.call('GET', '/conflicts')).body;
        const changes = await rebuildConflicts(db);
        const rebuilt = (await client.call('GET', '/conflicts')).body;
        assert.deepEqual(rebuilt, stored, `write ${count}: ${written.join('\n')}`);
        assert.equal(changes, 0, `write ${count}: ${written.join('\n')}`);
        most = Math.max(most, stored.length);
        written = [];
      }
      assert.ok(most > 10, `Only ${most} conflicts were found.`);
    });
  });
});
