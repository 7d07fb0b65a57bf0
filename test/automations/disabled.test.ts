import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Claimed, claimJobs } from '../../src/automations/claim.ts';
import { attempt } from '../../src/automations/courier.ts';
import { openQueue } from '../../src/automations/runner.ts';
import { moveClock } from '../../src/automations/sandbox/clock.ts';
import { scanTenant } from '../../src/automations/scan.ts';
import { updateTenant } from '../../src/domain/provision/update-tenant.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

const minute = 60_000;
const limits = { tenant: 1000, target: 1000 };

forAnyApp((_, app) => {
  let client: Client;
  let scene: Staffing;
  let workshop: Workshop;

  beforeEach(async () => {
    client = await app.newClient();
    scene = new Staffing(client);
    workshop = new Workshop(client.database, client.tenant);
  });

  const setActive = (active: boolean) => updateTenant(client.database, client.tenant, { active }, 'test');
  const event = (start: number) => scene.event(new Date(start).toISOString(), new Date(start + minute).toISOString());
  const shift = () => scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z');
  const assign = async () => scene.assignment(await scene.employee(), await shift(), 6);
  const scanNow = () => scanTenant(client.database.forTenant(client.tenant), new Date());
  /** Claims what is due: other tenants' jobs are left by other tests. */
  const claim = async (): Promise<readonly Claimed[]> =>
    (await claimJobs(1000, limits, client.database.queue)).filter(({ data }) => data.tenant_id === client.tenant.id);
  const attemptAll = async (jobs: readonly Claimed[]): Promise<void> => {
    const queue = openQueue(client.database, { supervise: false, schedule: false });
    await queue.start();
    for (const job of jobs) await attempt(job, queue, workshop.dependencies());
    await queue.stop({ graceful: false, close: false });
  };
  const outcomes = async (automation: number) =>
    (await deliveriesOf(client, automation)).map(({ status, attempt }) => [status, attempt]);

  describe('a disabled tenant', () => {
    it('has its deliveries left in the queue, which attempts them as soon as it is enabled', async () => {
      const automation = await automate(client, ['assignment.status_changed', {}]);
      await assign();
      await setActive(false);
      assert.deepEqual(await claim(), []);
      await setActive(true);
      const jobs = await claim();
      assert.equal(jobs.length, 1);
      await attemptAll(jobs);
      assert.deepEqual([await outcomes(automation), workshop.sent.length], [[[2, 1]], 1]);
    });

    it('has nothing sent or changed by what was claimed before, which is left in the queue too', async () => {
      const sending = await automate(client, ['assignment.status_changed', { to: [6] }]);
      const changing = await automate(
        client,
        ['assignment.status_changed', { to: [6] }],
        ['assignment.set_status', { status: 7 }],
      );
      const id = await assign();
      const jobs = await claim();
      assert.equal(jobs.length, 2);
      await setActive(false);
      await attemptAll(jobs);
      await setActive(true);
      assert.deepEqual(workshop.sent, []);
      assert.equal(await scene.statusOf(id), 6);
      assert.deepEqual([await outcomes(sending), await outcomes(changing)], [[[1, 0]], [[1, 0]]]);
      await attemptAll(await claim());
      assert.deepEqual([await outcomes(sending), await outcomes(changing)], [[[2, 1]], [[2, 1]]]);
      assert.equal(await scene.statusOf(id), 7);
    });

    it('has what would have occurred meanwhile passed over, and nothing else', async () => {
      const soon = await automate(client, ['event.starts_in', { minutes: 60 }]);
      const places = await automate(client, ['function.understaffed', {}]);
      await event(Date.now() + 30 * minute);
      await setActive(false);
      // A scan that has begun before comes to it.
      assert.equal(await scanNow(), 0);
      await setActive(true);
      assert.equal(await scanNow(), 0);
      await event(Date.now() + 40 * minute);
      await shift();
      assert.equal(await scanNow(), 2);
      await setActive(true);
      await event(Date.now() + 50 * minute);
      await setActive(true);
      assert.equal(await scanNow(), 1);
      assert.deepEqual([(await outcomes(soon)).length, (await outcomes(places)).length], [2, 1]);
    });

    it('has the clock of its sandbox stand still, and go on when it is enabled', async () => {
      client = await app.newClient({ sandbox: true });
      scene = new Staffing(client);
      const automation = await automate(client, ['assignment.status_changed', {}]);
      await assign();
      const { send: _, ...dependencies } = workshop.dependencies();
      await setActive(false);
      assert.equal(await moveClock(client.tenant.id, dependencies), false);
      await setActive(true);
      assert.deepEqual(await outcomes(automation), [[1, 0]]);
      assert.equal(await moveClock(client.tenant.id, dependencies), true);
      assert.deepEqual(await outcomes(automation), [[2, 1]]);
    });
  });
});
