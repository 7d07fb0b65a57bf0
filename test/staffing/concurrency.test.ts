import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type App, startApp } from '../support/app.ts';
import { forEachDatabase } from '../support/database.ts';
import { Staffing } from './scene.ts';

const span = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
const crowd = Array.from({ length: 16 });

forEachDatabase((_, getDatabase) => {
  let app: App;
  let staffing: Staffing;

  before(async () => {
    app = await startApp(getDatabase());
    staffing = new Staffing(await app.newClient(), getDatabase());
  });
  after(() => app.close());

  /** Assigns all at once; exactly one may get through. */
  const race = async (ids: readonly number[], code: string): Promise<void> => {
    const answers = await Promise.all(ids.map(id => staffing.setStatus(id, 6)));
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1, answers.map(({ status, text }) => `${status} ${text}`).join('\n'));
    for (const { status, body } of answers) if (status !== 200) assert.equal(body.errors[0].code, code);
  };

  it('of 16 simultaneous requests for the last place one wins', async () => {
    for (let round = 0; round < 3; round++) {
      const place = await staffing.shift(...span, { quantity: 1 });
      const ids = await Promise.all(crowd.map(async () => staffing.assignment(await staffing.employee(), place)));
      await race(ids, 'function_full');
    }
  });

  it('of 16 simultaneous requests for the same hours of one employee one wins', async () => {
    for (let round = 0; round < 3; round++) {
      const employee = await staffing.employee();
      const ids = await Promise.all(
        crowd.map(async () => staffing.assignment(employee, await staffing.shift(...span))),
      );
      await race(ids, 'double_booked');
    }
  });
});
