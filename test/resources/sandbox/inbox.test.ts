import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { readSecrets } from '../../../src/automations/secret.ts';
import { keptFor, removeOld } from '../../../src/server/jobs/retention.ts';
import { automate, deliveriesOf } from '../../automations/scene.ts';
import { Workshop } from '../../automations/work.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import type { Client } from '../../support/app.ts';
import { document } from '../../support/conformance/document.ts';
import { webhookContradictions } from '../../support/conformance/webhook.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { day, flush, hour, inboxOf, instant, type Message, moveTo, timeOf } from './scene.ts';

const tolerance = 300_000;

forAnyApp((_, app) => {
  let client: Client;
  let scene: Staffing;

  beforeEach(async () => {
    client = await app.newClient({ sandbox: true });
    scene = new Staffing(client);
  });

  /** Has an automation send a webhook for each of the given number of new assignments. */
  const send = async (count = 1, routine: object = {}): Promise<readonly Message[]> => {
    await automate(
      client,
      ['assignment.status_changed', {}],
      ['webhook.post', { url: 'http://127.0.0.1:1/hook', ...routine }],
    );
    const now = await timeOf(client);
    const shift = await scene.shift(instant(now + 400 * day), instant(now + 400 * day + hour), { quantity: 100 });
    for (let made = 0; made < count; made++) await scene.assignment(await scene.employee(), shift);
    await flush(client);
    return inboxOf(client);
  };

  describe('the inbox of a sandbox', () => {
    it('has each webhook as it would be sent: URL, headers, and the signed body', async () => {
      const [message, ...others] = await send(1, { headers: { Authorization: 'Bearer k-4711', 'X-Key': 'a' } });
      assert.ok(message);
      assert.equal(others.length, 0);
      const { url, headers, body, attempt, response_status } = message;
      assert.deepEqual([url, attempt, response_status], ['http://127.0.0.1:1/hook', 1, 200]);
      assert.deepEqual([headers.Authorization, headers['X-Key']], ['***', '***']);
      assert.equal(headers['content-length'], String(Buffer.byteLength(body)));
      const [secret = ''] = await readSecrets(client.database, client.tenant.id);
      assert.deepEqual(new Webhook(secret).verify(body, { ...headers }), JSON.parse(body));
      assert.throws(() => new Webhook(secret).verify(`${body} `, { ...headers }));
      assert.deepEqual(webhookContradictions({ headers: null, payload: body }), []);
      const [delivery] = await deliveriesOf(client, message.automation_id);
      assert.deepEqual([delivery?.id, delivery?.status, delivery?.response_status], [message.delivery_id, 2, 200]);
      assert.equal(delivery?.event_id, headers['webhook-id']);
    });

    it('shows of a webhook what the document has, and nothing else', async () => {
      const { properties } = document.components.schemas?.InboxMessage ?? {};
      const [message] = await send();
      assert.deepEqual(Object.keys(message ?? {}).toSorted(), Object.keys(properties ?? {}).toSorted());
    });

    it('takes the webhooks of the workers, too, which send none', async () => {
      await automate(client, ['assignment.status_changed', {}]);
      const now = await timeOf(client);
      await scene.newAssignment(instant(now + day), instant(now + day + hour));
      const workshop = new Workshop(client.database, client.tenant);
      assert.equal(await workshop.run(), 1);
      assert.equal((await inboxOf(client)).length, 1);
      assert.deepEqual(workshop.sent, []);
      await flush(client);
      assert.equal((await inboxOf(client)).length, 1, 'it is sent once');
    });

    it('is read in parts, oldest first, and emptied', async () => {
      const all = await send(5);
      const ids = all.map(({ id }) => id);
      assert.equal(ids.length, 5);
      const page = async (query: string) => (await inboxOf(client, query)).map(({ id }) => id);
      assert.deepEqual(await page('?limit=2'), ids.slice(0, 2));
      assert.deepEqual(await page(`?limit=2&after=${ids[1]}`), ids.slice(2, 4));
      assert.deepEqual(await page(`?after=${ids[4]}`), []);
      for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?limit=1&limit=2', '?after=0', '?after=999999999']) {
        const { status, body } = await client.call('GET', `/sandbox/inbox${query}`);
        assert.deepEqual([status, body.code], [400, 'invalid_parameter'], query);
      }
      assert.equal((await client.call('GET', '/sandbox/inbox?fields=id')).body.code, 'unknown_field');
      assert.equal((await client.call('DELETE', '/sandbox/inbox?dry_run=true')).status, 204);
      assert.equal((await inboxOf(client)).length, 5);
      assert.equal((await client.call('DELETE', '/sandbox/inbox')).status, 204);
      assert.deepEqual(await inboxOf(client), []);
    });

    it('is shown in XML', async () => {
      await send();
      const { status, text } = await client.call('GET', '/sandbox/inbox.xml');
      assert.equal(status, 200);
      assert.match(text, /<inbox>\s*<item>\s*<id>\d+<\/id>/);
    });

    it('has the samples and replays of the API, too', async () => {
      const [first] = await send();
      const path = `/automations/${first?.automation_id}`;
      assert.equal((await client.call('POST', `${path}/test`)).status, 201);
      assert.equal((await client.call('POST', `${path}/deliveries/${first?.delivery_id}/replay`)).status, 201);
      await flush(client);
      const [, sample, replay] = await inboxOf(client);
      assert.equal(JSON.parse(sample?.body ?? '').test, true);
      assert.equal(replay?.headers['webhook-id'], first?.headers['webhook-id']);
      assert.equal(replay?.body, first?.body);
    });
  });

  describe('in a sandbox whose clock is ahead, real is the time', () => {
    const ahead = 400 * day;
    beforeEach(async () => {
      await moveTo(client, (await timeOf(client)) + ahead);
    });

    it('of tokens, which stay valid', async () => {
      assert.equal((await client.call('GET', '/me')).status, 200);
      assert.equal((await client.call('GET', '/clients')).status, 200);
    });

    it('of rate limits', async () => {
      const path = '/sandbox/clock';
      const remaining = async () => Number((await client.call('GET', path)).headers['x-rate-limit-remaining']);
      const before = await client.call('GET', path);
      assert.ok(Number(before.headers['x-rate-limit-reset']) <= 60);
      const first = await remaining();
      await moveTo(client, (await timeOf(client)) + day);
      // A real minute may have ended meanwhile, but not one for each day.
      assert.ok(Math.abs((await remaining()) - first) < 1000);
    });

    it('of responses that are kept for an Idempotency-Key', async () => {
      const post = () =>
        client.call('POST', '/projects', { body: { name: 'P' }, headers: { 'Idempotency-Key': 'kept' } });
      const first = await post();
      await moveTo(client, (await timeOf(client)) + 30 * day);
      const again = await post();
      assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true']);
    });

    it('of signatures, while webhooks tell the time of the sandbox', async () => {
      const [message] = await send();
      assert.ok(message);
      const signed = Number(message.headers['webhook-timestamp']) * 1000;
      assert.ok(Math.abs(signed - Date.now()) < tolerance);
      const told = Date.parse(JSON.parse(message.body).timestamp);
      for (const time of [told, Date.parse(message.received_at)])
        assert.ok(Math.abs(time - (await timeOf(client))) < tolerance);
    });

    it('of what is kept for a time: deliveries, messages, changes', async () => {
      const [message] = await send();
      await moveTo(client, (await timeOf(client)) + 200 * day);
      assert.equal((await inboxOf(client)).length, 1);
      assert.equal((await deliveriesOf(client, message?.automation_id ?? 0)).length, 1);
      const { changes } = (await client.call('GET', '/changes?resource=assignments')).body;
      assert.equal(changes.length, 1);
      const inbox = keptFor(90).filter(({ what }) => what.includes('inbox'));
      await removeOld(inbox, client.database, Date.now() + 29 * day);
      assert.equal((await inboxOf(client)).length, 1);
      await removeOld(inbox, client.database, Date.now() + 31 * day);
      assert.equal((await inboxOf(client)).length, 0);
    });
  });
});
