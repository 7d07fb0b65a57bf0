import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Wakeups } from '../../../src/db/journal/wakeups.ts';
import { type ApiResponse, type App, startApp } from '../../support/app.ts';
import { forAnyDatabase } from '../../support/database.ts';
import { newRestricted, restrictions } from '../../support/restrictions.ts';
import { Staffing } from '../staffing/scene.ts';
import { addTired, conflictsOf } from './scene.ts';

forAnyDatabase((_, getDatabase) => {
  describe('a request that waits for conflicts while its caller is restricted', () => {
    const clock = { now: Date.now() };
    let app: App;
    /** What happens while the next request waits. */
    let meanwhile = async (): Promise<unknown> => undefined;
    before(async () => {
      const wakeups = {
        stopped: false,
        waitForConflicts: async () => {
          await meanwhile();
          return true;
        },
      } as Partial<Wakeups> as Wakeups;
      app = await startApp({ ...getDatabase(), wakeups }, { clock: () => clock.now });
    });
    after(() => app.close());

    const shown = ({ status, text }: ApiResponse) => [status, text.replace(/"request_id": [^,\n]*/, '')];

    for (const { name, set } of restrictions)
      it(`gets what a new request gets, after ${name}`, async () => {
        const user = await newRestricted(app, clock);
        const get = (path: string) => app.callAs(user, 'GET', path);
        await addTired(new Staffing(user.other));
        let waited = 0;
        meanwhile = async () => {
          waited++;
          await conflictsOf(user.other);
          await set(user);
        };
        const response = await get('/conflicts?wait=30&embed=employee');
        assert.equal(waited, 1);
        assert.deepEqual(shown(response), shown(await get('/conflicts?embed=employee')));
      });
  });
});
