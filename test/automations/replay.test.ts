import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { samples, triggers } from '../../generated/automations.ts';
import { replaceSecret } from '../../src/automations/secret.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { document } from '../support/conformance/document.ts';
import { webhookContradictions } from '../support/conformance/webhook.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

forEachApp((_, app) => {
  let client: Client;
  let workshop: Workshop;

  beforeEach(async () => {
    client = await app.newClient();
    workshop = new Workshop(client.database, client.tenant);
  });

  const test = (id: number, query = '', headers = {}) =>
    client.call('POST', `/automations/${id}/test${query}`, { headers });
  const replay = (id: number, delivery: number, query = '', headers = {}) =>
    client.call('POST', `/automations/${id}/deliveries/${delivery}/replay${query}`, { headers });
  const payloads = () => workshop.sent.map(({ payload }) => JSON.parse(payload));

  describe('the document’s webhooks', () => {
    it('describe every trigger, with an example that matches its schema', () => {
      assert.deepEqual(Object.keys(document.webhooks).sort(), Object.keys(triggers).sort());
      for (const [trigger, { post }] of Object.entries(document.webhooks)) {
        const [example] = post.requestBody.content['application/json'].schema.examples as { type: string }[];
        assert.equal(example?.type, trigger);
        assert.deepEqual(webhookContradictions({ headers: null, payload: JSON.stringify(example) }), []);
      }
    });
  });

  describe('POST /automations/{id}/test', () => {
    for (const trigger of Object.keys(samples))
      it(`sends the example of ${trigger}, marked as a test, and shows its outcome as a delivery`, async () => {
        const id = await automate(client, [trigger, {}]);
        const response = await test(id);
        assert.equal(response.status, 201, response.text);
        assert.deepEqual([response.body.is_test, response.body.status, response.body.attempt], [1, 1, 0]);
        workshop.respond = () => ({ status: 418, error: 'not_accepted' });
        await workshop.run();
        const [message] = payloads();
        assert.deepEqual([message.type, message.test], [trigger, true]);
        assert.deepEqual(message.data, samples[trigger as keyof typeof samples]);
        const shown = await client.call('GET', String(response.headers.location).replace('/api/v1', ''));
        assert.deepEqual([shown.body.attempt, shown.body.response_status, shown.body.error], [1, 418, 'not_accepted']);
      });

    it('sends nothing for a dry run, and once for repetitions with an Idempotency-Key', async () => {
      const id = await automate(client, ['record.changed', { include: 'record' }]);
      assert.equal((await test(id, '?dry_run=true')).status, 201);
      assert.equal(await workshop.run({ early: true }), 0);
      const headers = { 'Idempotency-Key': 'test' };
      const [first, again] = [await test(id, '', headers), await test(id, '', headers)];
      assert.deepEqual(again.body, first.body);
      await workshop.run();
      assert.equal(workshop.sent.length, 1);
    });

    it('is rejected for a routine that changes records, and for an automation that does not exist', async () => {
      const id = await automate(client, ['assignment.status_changed', {}], ['function.lock', {}]);
      const response = await test(id);
      assert.equal(response.status, 422);
      assert.deepEqual(
        [response.body.errors[0].code, response.body.errors[0].field],
        ['not_in_enumeration', 'routine_type'],
      );
      assert.equal((await test(999_999)).status, 404);
      const foreign = await automate(await app.newClient(), ['checkin.created', {}]);
      assert.equal((await test(foreign)).status, 404);
    });
  });

  describe('POST /automations/{id}/deliveries/{delivery_id}/replay', () => {
    /** An automation with one delivery that has failed for good. */
    const failed = async () => {
      const id = await automate(client, ['assignment.status_changed', {}]);
      const scene = new Staffing(client);
      const place = await scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z');
      await scene.assignment(await scene.employee(), place);
      workshop.respond = () => ({ status: 410, error: 'not_accepted' });
      await workshop.run();
      workshop.respond = () => ({ status: 204, error: null });
      const [delivery = assert.fail()] = await deliveriesOf(client, id);
      assert.equal(delivery.status, 3);
      return { id, delivery };
    };

    it('sends the same event with the same id and a new signature, in a new delivery', async () => {
      const { id, delivery } = await failed();
      const response = await replay(id, delivery.id);
      assert.equal(response.status, 201, response.text);
      assert.deepEqual(
        [response.body.replay_of, response.body.event_id, response.body.attempt],
        [delivery.id, delivery.event_id, 0],
      );
      const secret = await replaceSecret(client.database, client.tenant.id);
      workshop.now = new Date(workshop.now.getTime() + 1000);
      await workshop.run();
      const [first, second] = workshop.sent;
      assert.deepEqual([second?.id, second?.payload], [first?.id, first?.payload]);
      assert.notDeepEqual(second?.timestamp, first?.timestamp);
      assert.equal(second?.secrets[0], secret);
      assert.equal(second?.secrets.length, 2);
      for (const each of second?.secrets ?? []) assert.ok(new Webhook(each));
      assert.deepEqual(
        (await deliveriesOf(client, id)).map(({ status }) => status),
        [3, 2],
      );
    });

    it('sends nothing for a dry run, and once for repetitions with an Idempotency-Key', async () => {
      const { id, delivery } = await failed();
      assert.equal((await replay(id, delivery.id, '?dry_run=true')).status, 201);
      const headers = { 'Idempotency-Key': 'replay' };
      for (let count = 0; count < 2; count++) await replay(id, delivery.id, '', headers);
      workshop.sent.length = 0;
      await workshop.run();
      assert.equal(workshop.sent.length, 1);
      assert.equal((await deliveriesOf(client, id)).length, 2);
    });

    it('is 404 for a delivery that does not exist, of another automation or of another tenant', async () => {
      const { id, delivery } = await failed();
      const other = await automate(client, ['checkin.created', {}]);
      assert.equal((await replay(id, 999_999)).status, 404);
      assert.equal((await replay(other, delivery.id)).status, 404);
      const stranger = await app.newClient();
      const path = `/automations/${id}/deliveries/${delivery.id}/replay`;
      assert.equal((await stranger.call('POST', path)).status, 404);
    });

    it('is refused to read-only API users and to tenants without the module', async () => {
      const { id, delivery } = await failed();
      const path = `/automations/${id}/deliveries/${delivery.id}/replay`;
      const reader = await app.callAs({ ...client, token: client.readOnlyToken }, 'POST', path);
      assert.equal(reader.status, 405);
      const without = await app.newClient({ modules: new Set() });
      assert.equal((await without.call('POST', path)).status, 403);
    });
  });
});
