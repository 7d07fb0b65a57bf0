import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { samples } from '../../generated/automations.ts';
import { addDeliveries } from '../../src/domain/occurrences/trigger.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

const url = 'https://503.invalid/hook';
const posts = ['webhook.post', { url }] as const;
const denies = { routine_type: 'assignment.set_status', routine_configuration: '{"status":8}' };
const ofStatus = { trigger_type: 'assignment.status_changed', trigger_configuration: '{}' };

forAnyApp((_, app) => {
  let client: Client;
  let workshop: Workshop;
  let assignment: number;

  beforeEach(async () => {
    client = await app.newClient();
    workshop = new Workshop(client.database, client.tenant);
    workshop.respond = () => ({ status: 503, error: 'not_accepted' });
    const scene = new Staffing(client);
    const place = await scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z');
    assignment = await scene.assignment(await scene.employee(), place);
  });

  const change = async (automation: number, body: object) => {
    const response = await client.call('PUT', `/automations/${automation}`, { body });
    assert.equal(response.status, 200, response.text);
  };
  const statusOf = async () => (await client.call('GET', `/assignments/${assignment}`)).body.status;
  const outcomes = async (automation: number) =>
    (await deliveriesOf(client, automation)).map(({ status, attempt, error }) => [status, attempt, error]);
  /** Has the pending delivery be about the assignment. */
  const aim = (automation: number) =>
    client.database.forTenant(client.tenant).transaction(({ kysely }) =>
      kysely
        .updateTable('automation_deliveries')
        .set({ data: JSON.stringify({ ...samples['assignment.status_changed'], assignment_id: assignment }) })
        .where('automation_id', '=', automation)
        .execute(),
    );

  describe('a delivery whose automation gets a routine that changes records', () => {
    it('changes none if it is the sample of a test', async () => {
      const automation = await automate(client, ['assignment.status_changed', {}], posts);
      await client.call('POST', `/automations/${automation}/test`);
      await aim(automation);
      await change(automation, denies);
      await workshop.run({ early: true });
      assert.deepEqual(await outcomes(automation), [[3, 1, 'routine_changed']]);
      assert.equal(await statusOf(), 1);
    });

    it('changes none if it has been sent as a webhook, or repeats one', async () => {
      const automation = await automate(client, ['assignment.status_changed', {}], posts);
      await client.call('PUT', `/assignments/${assignment}/status`, { body: { status: 3 } });
      await workshop.run();
      const [{ id } = { id: 0 }] = await deliveriesOf(client, automation);
      await client.call('POST', `/automations/${automation}/deliveries/${id}/replay`);
      await change(automation, denies);
      await workshop.run({ early: true });
      assert.deepEqual(await outcomes(automation), [
        [3, 2, 'routine_changed'],
        [3, 1, 'routine_changed'],
      ]);
      assert.equal(await statusOf(), 3);
    });

    it('ends if the routine cannot have its trigger', async () => {
      const automation = await automate(client, ['event.starts_in', { minutes: 60 }], posts);
      await client.database
        .forTenant(client.tenant)
        .transaction(transaction =>
          addDeliveries(
            'event.starts_in',
            [{ automationId: automation, data: samples['event.starts_in'] }],
            transaction,
          ),
        );
      await change(automation, { ...ofStatus, ...denies });
      await workshop.run({ early: true });
      assert.deepEqual(await outcomes(automation), [[3, 1, 'routine_changed']]);
      assert.equal(await statusOf(), 1);
    });
  });

  it('a clock moves where a delivery cannot have the routine of its automation any more', async () => {
    const sandbox = await app.newClient({ sandbox: true });
    const automation = await automate(sandbox, ['record.changed', { resource: ['planners'] }], posts);
    await sandbox.call('POST', '/planners', { body: { first_name: 'Ada', last_name: 'Berg' } });
    await sandbox.call('PUT', '/sandbox/clock', { body: {} });
    const body = { ...ofStatus, ...denies };
    assert.equal((await sandbox.call('PUT', `/automations/${automation}`, { body })).status, 200);
    const { now } = (await sandbox.call('GET', '/sandbox/clock')).body;
    const later = new Date(Date.parse(now) + 60_000).toISOString();
    const moved = await sandbox.call('PUT', '/sandbox/clock', { body: { now: later } });
    assert.equal(moved.status, 200, moved.text);
    const told = (await deliveriesOf(sandbox, automation)).map(({ status, error }) => [status, error]);
    assert.deepEqual(told, [[3, 'routine_changed']]);
  });
});
