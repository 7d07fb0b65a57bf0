import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { automate, deliveriesOf } from '../../automations/scene.ts';
import { flush, inboxOf } from '../../resources/sandbox/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';
import { addTired, conflictsOf, list, tenantWith } from './scene.ts';

forAnyApp((_, app) => {
  describe('where birthdays are hidden', () => {
    it('none is missing: in listings, changes, webhooks, the log of deliveries and the inbox', async () => {
      const { client, staffing } = await tenantWith(app, { applies_to: { age_below: 18 } }, { sandbox: true });
      const blind = await restricted(app, client, { hidden: ['personal'] });
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const own = await automate(blind, ['conflict.opened', {}]);
      const other = await automate(client, ['conflict.opened', {}]);
      await addTired(staffing, { birthday: null });
      await flush(client);
      const [missing] = await list(client);
      assert.equal(missing?.type, 'birthday_missing');
      assert.deepEqual(await list(blind), []);
      assert.equal((await blind.call('GET', `/conflicts/${missing?.id}`)).status, 404);
      assert.equal((await blind.call('GET', '/conflicts?count=true')).headers['x-total-count'], '0');
      const query = `/changes?after=${next}&resource=conflicts`;
      assert.equal((await client.call('GET', query)).body.changes.length, 1);
      assert.deepEqual((await blind.call('GET', query)).body.changes, []);
      assert.deepEqual(await deliveriesOf(client, own), []);
      assert.equal((await deliveriesOf(client, other))[0]?.data.type, 'birthday_missing');
      assert.equal((await deliveriesOf(blind, other))[0]?.data, null);
      assert.equal((await inboxOf(client)).length, 1);
      assert.deepEqual(await inboxOf(blind), []);
      await client.call('PUT', `/employees/${missing?.employee_id}`, { body: { birthday: '1990-01-01' } });
      assert.deepEqual(await conflictsOf(client), []);
      assert.equal((await client.call('GET', query)).body.changes.length, 2);
      assert.deepEqual((await blind.call('GET', query)).body.changes, []);
    });
  });

  describe('where health is hidden', () => {
    it('the busy date of an absence does not exist', async () => {
      const { client, staffing } = await tenantWith(app, null);
      const blind = await restricted(app, client, { hidden: ['health'] });
      const { employee } = await addTired(staffing);
      const away = { employee_id: employee, start: '2036-06-12T14:00:00Z', end: '2036-06-12T17:00:00Z' };
      const busy = await staffing.create('busy-dates', away);
      assert.equal((await conflictsOf(client))[0]?.busy_date_id, busy);
      const [absent] = await list(blind);
      assert.equal(absent?.type, 'absent');
      assert.ok(absent && !('busy_date_id' in absent));
      assert.equal((await blind.call('GET', `/conflicts?busy_date_id=${busy}`)).status, 400);
      assert.equal((await blind.call('GET', '/conflicts?embed=busyDate')).status, 400);
    });
  });

  describe('an API user with scopes', () => {
    it('needs conflicts:read, for listings and for webhooks', async () => {
      const { client } = await tenantWith(app, null);
      const reader = await restricted(app, client, {
        scopes: ['conflicts:read', 'automations:read', 'automations:write'],
      });
      const other = await restricted(app, client, {
        scopes: ['assignments:read', 'automations:read', 'automations:write'],
      });
      assert.deepEqual(await list(reader), []);
      assert.equal((await other.call('GET', '/conflicts')).body.code, 'scope_missing');
      const body = {
        trigger_type: 'conflict.opened',
        trigger_configuration: '{}',
        routine_type: 'webhook.post',
        routine_configuration: '{"url":"https://hooks.example.com/a"}',
      };
      assert.equal((await other.call('POST', '/automations', { body })).body.code, 'scope_missing');
      assert.equal((await reader.call('POST', '/automations', { body })).status, 201);
    });
  });
});
