import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { followJournal } from '../../src/automations/follow.ts';
import { changeApiUser } from '../../src/domain/provision/change-api-user.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import { flush, inboxOf } from '../resources/sandbox/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { restricted } from '../support/restricted.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

const upload = async (by: Pick<Client, 'call'>): Promise<number> =>
  (await by.call('POST', '/files', { body: Buffer.from('a') })).body.id;

forAnyApp((_, app) => {
  describe('what webhooks have sent of records that do not exist for a reader', () => {
    it('is in the log of deliveries by its position alone, and not in the inbox', async () => {
      const client = await app.newClient({ sandbox: true });
      const reader = await restricted(app, client, { hidden: ['health', 'identity'] });
      const staffing = new Staffing(client);
      const { body: forms } = await client.call('GET', '/forms?entity=employees');
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const automation = await automate(client, ['record.changed', { resource: ['files', 'attributes'] }]);
      for (const category of ['health', null])
        await staffing.create('attributes', { entity_id: forms[0].id, name: `A ${category}`, category });
      const foreign = await upload(client);
      await upload(reader);
      assert.equal((await client.call('DELETE', `/files/${foreign}`)).status, 204);
      await flush(client);
      const entries = async (by: Pick<Client, 'call'>) =>
        (await by.call('GET', `/changes?after=${next}&resource=files,attributes`)).body.changes;
      const [all, seen] = [await entries(client), await entries(reader)];
      assert.deepEqual([all.length, seen.length], [5, 2]);
      const known = new Map(seen.map((entry: { position: number }) => [entry.position, entry]));
      const expected = all.map(({ position }: { position: number }) => known.get(position) ?? { position });
      const log = await deliveriesOf(reader, automation);
      assert.deepEqual(
        log.map(({ data }) => data),
        expected,
      );
      assert.deepEqual(
        log.map(({ response_status }) => response_status !== null),
        all.map(({ position }: { position: number }) => known.has(position)),
      );
      assert.equal((await deliveriesOf(reader, automation, '?response_status=-null')).length, 2);
      const sent = async (by: Client) => (await inboxOf(by)).map(({ body }) => JSON.parse(body).data.position);
      assert.deepEqual(await sent(reader), [...known.keys()]);
      assert.equal((await sent(client)).length, 5);
    });
  });

  describe('what webhooks have sent of an attribute whose category changes', () => {
    it('is in the log and in the inbox as in the changes, and without a record that does not exist for the reader', async () => {
      const client = await app.newClient({ sandbox: true });
      const reader = await restricted(app, client, { hidden: ['health'] });
      const staffing = new Staffing(client);
      const { body: forms } = await client.call('GET', '/forms?entity=employees');
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const configuration = { resource: ['attributes'] };
      const automation = await automate(client, ['record.changed', configuration]);
      const whole = await automate(client, ['record.changed', { ...configuration, include: 'record' }]);
      // The first is hidden later, the second is shown later.
      for (const [name, ...changes] of [
        ['Illness', { name: 'An illness' }, { category: 'health' }],
        ['Weather', { category: 'health' }, { category: null }],
      ] as const) {
        const id = await staffing.create('attributes', { entity_id: forms[0].id, name });
        for (const body of changes) {
          await flush(client);
          assert.equal((await client.call('PUT', `/attributes/${id}`, { body })).status, 200);
        }
        await flush(client);
      }
      const entries = async (by: Pick<Client, 'call'>) =>
        (await by.call('GET', `/changes?after=${next}&resource=attributes`)).body.changes;
      const [all, seen] = [await entries(client), await entries(reader)];
      const known = new Map(seen.map((entry: { position: number }) => [entry.position, entry]));
      const isSeen = all.map(({ position }: { position: number }) => known.has(position));
      assert.deepEqual(isSeen, [false, false, true, true, true, true]);
      for (const each of [automation, whole])
        assert.deepEqual(
          (await deliveriesOf(reader, each)).map(({ data }) => data),
          all.map(({ position }: { position: number }) => known.get(position) ?? { position }),
        );
      const sent = async (by: Client, of: number) =>
        (await inboxOf(by))
          .filter(({ automation_id }) => automation_id === of)
          .map(({ body }) =>
            all.findIndex((entry: { position: number }) => entry.position === JSON.parse(body).data.position),
          );
      assert.deepEqual(await sent(client, whole), [0, 1, 2, 3, 4, 5]);
      assert.deepEqual(await sent(reader, automation), [2, 3, 4, 5]);
      assert.deepEqual(await sent(reader, whole), [3, 5]);
    });
  });

  describe('what webhooks have sent of a change of which only a part is hidden from a reader', () => {
    it('is in the inbox if the changes show each field to the reader', async () => {
      const client = await app.newClient({ sandbox: true });
      const reader = await restricted(app, client, { hidden: ['health'] });
      const staffing = new Staffing(client);
      const entity_id = await staffing.create('forms', { name: 'R', entity: 'assignment-employment-reports' });
      const [ill, open] = [
        await staffing.create('attributes', { entity_id, name: 'Ill', category: 'health' }),
        await staffing.create('attributes', { entity_id, name: 'Weather' }),
      ];
      const place = await staffing.place(await staffing.event('2026-07-01T08:00:00Z', '2026-07-01T16:00:00Z'));
      const assignment_id = await staffing.assignment(await staffing.employee(), place, 6);
      const data = (...values: string[]) =>
        [ill, open].map((attribute_id, index) => ({ attribute_id, value: values[index] ?? '' }));
      const report = await staffing.create('assignment-employment-reports', { assignment_id, data: data('a', 'a') });
      await flush(client);
      await automate(client, ['record.changed', { resource: ['assignment-employment-reports'] }]);
      for (const values of [data('b', 'a'), data('b', 'b')]) {
        const changed = await client.call('PUT', `/assignment-employment-reports/${report}`, {
          body: { data: values },
        });
        assert.equal(changed.status, 200, changed.text);
        await flush(client);
      }
      const sent = async (by: Client) => (await inboxOf(by)).map(({ body }) => JSON.parse(body).data.position);
      const all = await sent(client);
      assert.equal(all.length, 2);
      assert.deepEqual(await sent(reader), all.slice(1));
    });
  });

  describe('what webhooks have sent of changes of hidden fields', () => {
    it('is in the log as in the changes: by its position alone, if nothing moves that the reader sees', async () => {
      const client = await app.newClient();
      const reader = await restricted(app, client, { hidden: ['health'] });
      const staffing = new Staffing(client);
      const busy = await staffing.create('busy-dates', {
        employee_id: await staffing.employee(),
        start: '2026-07-01T08:00:00Z',
        end: '2026-07-01T16:00:00Z',
      });
      const { next } = (await client.call('GET', '/changes?after=now')).body;
      const automation = await automate(client, ['record.changed', { resource: ['busy-dates'] }]);
      for (const body of [{ reason: 'Flu' }, { counts_as_work: 1 }, { reason: 'Cold', counts_as_work: 0 }]) {
        const put = await client.call('PUT', `/busy-dates/${busy}`, { body });
        assert.equal(put.status, 200, put.text);
      }
      await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
      const entries = async (by: Pick<Client, 'call'>) =>
        (await by.call('GET', `/changes?after=${next}&resource=busy-dates`)).body.changes;
      const [all, seen] = [await entries(client), await entries(reader)];
      const known = new Map(seen.map((entry: { position: number }) => [entry.position, entry]));
      assert.deepEqual(
        (await deliveriesOf(reader, automation)).map(({ data }) => data),
        all.map(({ position }: { position: number }) => known.get(position) ?? { position }),
      );
      assert.deepEqual([all.length, seen.length], [3, 2]);
    });
  });

  describe('a webhook of a record that no longer exists for its API user', () => {
    for (const sandbox of [false, true])
      it(`is a final attempt, which sends nothing${sandbox ? ', of a sandbox too' : ''}`, async () => {
        const client = await app.newClient({ sandbox });
        const author = await restricted(app, client, {});
        const staffing = new Staffing(client);
        const { body: forms } = await client.call('GET', '/forms?entity=employees');
        const workshop = new Workshop(client.database, client.tenant);
        const automation = await automate(author, ['record.changed', { resource: ['files', 'attributes'] }]);
        for (const category of ['health', null])
          await staffing.create('attributes', { entity_id: forms[0].id, name: `A ${category}`, category });
        await upload(client);
        await upload(author);
        await followJournal(client.database.forTenant(client.tenant), createTenantFields(resources));
        const { id } = (await author.call('GET', '/me')).body.api_user;
        await changeApiUser(client.database, client.tenant, id, { hidden: ['health', 'identity'] });
        await workshop.run({ early: true });
        const log = await deliveriesOf(client, automation);
        assert.deepEqual(
          log.map(({ status, attempt, error }) => [status, attempt, error]),
          [false, true, false, true].map(isSent => (isSent ? [2, 1, null] : [3, 1, 'scope_missing'])),
        );
        assert.deepEqual(
          [
            ...workshop.sent.map(({ payload }) => payload),
            ...(sandbox ? await inboxOf(client) : []).map(({ body }) => body),
          ]
            .map(text => JSON.parse(text).data.position)
            .toSorted(),
          [1, 3].map(place => log[place]?.data.position),
        );
      });
  });
});
