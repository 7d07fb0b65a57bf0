import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { automate } from '../../automations/scene.ts';
import { flush, inboxOf } from '../../resources/sandbox/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { addTired, conflictsOf, tenantWith } from './scene.ts';

forAnyApp((_, app) => {
  describe('a conflict', () => {
    it('is opened, changed and gone in /changes, by the service', async () => {
      const { client, staffing } = await tenantWith(app, {});
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const { place, other } = await addTired(staffing);
      const [conflict] = await conflictsOf(client);
      await client.call('PUT', `/event-functions/${place}`, { body: { start: '2036-06-13T07:00:00Z' } });
      await conflictsOf(client);
      await staffing.setStatus(other, 8);
      await conflictsOf(client);
      const query = `after=${next}&resource=conflicts&include=record`;
      const { changes } = (await client.call('GET', `/changes?${query}`)).body;
      const shown = changes.map(({ change, fields, id, by, record }: Record<string, unknown>) => [
        change,
        id,
        by,
        record,
        change === 'updated' ? fields : null,
      ]);
      const by = { type: 'system', id: null };
      assert.deepEqual(shown, [
        ['created', conflict?.id, by, null, null],
        ['updated', conflict?.id, by, null, ['actual', 'end']],
        ['deleted', conflict?.id, by, null, null],
      ]);
      assert.ok(changes[0].fields.includes('severity'));
    });

    it('opens once in the inbox of a sandbox, for the automations that want it', async () => {
      const { client, staffing } = await tenantWith(app, {}, { sandbox: true });
      const wanted = await automate(client, [
        'conflict.opened',
        { severity: ['warning'], type: ['work_rule'], kind: ['rest'] },
      ]);
      await automate(client, ['conflict.opened', { severity: ['error'] }]);
      await automate(client, ['conflict.opened', { kind: ['night'] }]);
      const followed = await automate(client, ['record.changed', { resource: ['conflicts'] }]);
      const { employee, place } = await addTired(staffing);
      await flush(client);
      await client.call('PUT', `/event-functions/${place}`, { body: { start: '2036-06-13T07:00:00Z' } });
      await flush(client);
      const sent = (await inboxOf(client)).map(({ automation_id, body }) => ({ automation_id, ...JSON.parse(body) }));
      const opened = sent.filter(({ type }) => type === 'conflict.opened');
      const [conflict] = (await client.call('GET', '/conflicts')).body;
      const { id: conflict_id, busy_date_id: _, opened_at: __, actual: ___, end: ____, ...rest } = conflict;
      assert.deepEqual(
        opened.map(({ automation_id }) => automation_id),
        [wanted],
      );
      const { actual, end, ...data } = opened[0].data;
      assert.deepEqual([actual, end, data], [600, '2036-06-13T08:00:00Z', { conflict_id, ...rest }]);
      assert.equal(data.employee_id, employee);
      assert.deepEqual(
        sent.filter(({ automation_id }) => automation_id === followed).map(({ data }) => data.change),
        ['created', 'updated'],
      );
    });
  });
});
