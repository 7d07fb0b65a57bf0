import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { scanTenant } from '../../src/automations/scan.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf } from './scene.ts';

const minute = 60_000;
const [start, end] = ['2031-06-01T10:00:00Z', '2031-06-01T18:00:00Z'];

forAnyApp((_, app) => {
  let client: Client;
  let scene: Staffing;

  beforeEach(async () => {
    client = await app.newClient();
    scene = new Staffing(client);
  });

  const look = (now: Date) => scanTenant(client.database.forTenant(client.tenant), now);
  const change = async (automation: number, trigger_type: string) => {
    const body = { trigger_type, trigger_configuration: '{}' };
    assert.equal((await client.call('PUT', `/automations/${automation}`, { body })).status, 200);
  };

  describe('an automation whose trigger is changed', () => {
    it('is triggered by a record with the id of one that triggered it before', async () => {
      const automation = await automate(client, ['event.starts_in', { minutes: 60 }]);
      const event = await scene.event(start, end);
      const place = await scene.place(event);
      assert.equal(event, place);
      const before = (minutes: number) => new Date(Date.parse(start) - minutes * minute);
      assert.equal(await look(before(30)), 1);
      await change(automation, 'function.understaffed');
      assert.equal(await look(before(29)), 1);
      assert.equal(await look(before(28)), 0);
      const types = (await deliveriesOf(client, automation)).map(({ event_type }) => event_type);
      assert.deepEqual(types, ['event.starts_in', 'function.understaffed']);
    });

    it('is not due for events that had started before', async () => {
      const automation = await automate(client, ['function.understaffed', {}]);
      const created_at = new Date(Date.now() - 30 * minute).toISOString();
      await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        await kysely.updateTable('automations').set({ created_at }).where('id', '=', automation).execute();
      });
      await scene.event(new Date(Date.now() - 5 * minute).toISOString(), end);
      await change(automation, 'event.starts_in');
      assert.equal(await look(new Date()), 0);
    });
  });
});
