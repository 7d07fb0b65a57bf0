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
