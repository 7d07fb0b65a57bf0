import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { nextAttempt } from '../../src/automations/retries.ts';
import { readSecrets, replaceSecret } from '../../src/automations/secret.ts';
import type { WebhookResponse } from '../../src/automations/webhook.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

describe('the pauses between attempts', () => {
  it('grow from seconds to a day, and end', () => {
    const now = new Date('2031-05-02T10:00:00Z');
    const pauses = Array.from({ length: 12 }, (_, index) => {
      const next = nextAttempt(index + 1, 12, now, () => 0);
      return next && (next.getTime() - now.getTime()) / 1000;
    });
    assert.deepEqual(pauses, [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, 86_400, null]);
    assert.equal(nextAttempt(1, 2, now, () => 1)?.toISOString(), '2031-05-02T10:00:05.500Z');
  });
});

forEachApp((_, app) => {
  let client: Client;
  let workshop: Workshop;
  let automation: number;

  beforeEach(async () => {
    client = await app.newClient();
    workshop = new Workshop(client.database, client.tenant);
    const scene = new Staffing(client);
    const id = await scene.assignment(
      await scene.employee(),
      await scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z'),
    );
    automation = await automate(client, ['assignment.status_changed', {}]);
    await scene.setStatus(id, 6);
  });

  const shown = async () => (await deliveriesOf(client, automation))[0] ?? assert.fail('There is no delivery.');
  const respondWith = (response: WebhookResponse) => {
    workshop.respond = () => response;
  };

  describe('a webhook', () => {
    it('that is not accepted is tried again after growing pauses, with the same id, until it is', async () => {
      workshop.now = new Date('2031-05-02T10:00:00Z');
      respondWith({ status: 503, error: 'not_accepted' });
      assert.equal(await workshop.run(), 1);
      const first = await shown();
      assert.deepEqual([first.status, first.attempt, first.response_status, first.error], [1, 1, 503, 'not_accepted']);
      assert.equal(first.next_attempt_at, '2031-05-02T10:00:05Z');
      assert.equal(await workshop.run(), 0, 'not before its time');
      workshop.now = new Date('2031-05-02T10:00:06Z');
      respondWith({ status: null, error: 'timeout' });
      assert.equal(await workshop.run({ early: true, rounds: 1 }), 1);
      const second = await shown();
      assert.deepEqual([second.status, second.attempt, second.response_status, second.error], [1, 2, null, 'timeout']);
      assert.match(String(second.next_attempt_at), /^2031-05-02T10:01:(0[6-9]|1[0-2])Z$/);
      respondWith({ status: 200, error: null });
      assert.equal(await workshop.run({ early: true }), 1);
      const third = await shown();
      assert.deepEqual([third.status, third.attempt, third.error, third.next_attempt_at], [2, 3, null, null]);
      assert.equal(new Set(workshop.sent.map(({ id }) => id)).size, 1);
      assert.equal(workshop.sent[0]?.id, third.event_id);
      assert.equal(new Set(workshop.sent.map(({ payload }) => payload)).size, 1);
      assert.deepEqual(
        workshop.sent.map(({ timestamp }) => timestamp.toISOString().slice(11, 19)),
        ['10:00:00', '10:00:06', '10:00:06'],
      );
      assert.equal(await workshop.run({ early: true }), 0);
    });

    it('is not tried again after the configured number of attempts', async () => {
      respondWith({ status: null, error: 'connection_failed' });
      assert.equal(await workshop.run({ early: true }), 4);
      const { status, attempt, error, next_attempt_at } = await shown();
      assert.deepEqual([status, attempt, error, next_attempt_at], [3, 4, 'connection_failed', null]);
    });

    for (const response of [
      { status: 410, error: 'not_accepted' },
      { status: null, error: 'target_refused' },
      { status: null, error: 'https_required' },
    ] as const)
      it(`is not tried again after ${response.status ?? response.error}`, async () => {
        respondWith(response);
        assert.equal(await workshop.run({ early: true }), 1);
        const { status, attempt, error } = await shown();
        assert.deepEqual([status, attempt, error], [3, 1, response.error]);
      });

    it('contains the type, the time and the data of the occurrence', async () => {
      await workshop.run();
      const { type, timestamp, data } = JSON.parse(workshop.sent[0]?.payload ?? '');
      assert.equal(type, 'assignment.status_changed');
      assert.match(timestamp, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
      assert.deepEqual(data, (await shown()).data);
    });

    it('is sent again if its outcome could not be stored', async () => {
      const send = async () => {
        throw new Error('this side is broken');
      };
      assert.equal(await workshop.run({ send, rounds: 1 }), 1);
      assert.deepEqual([(await shown()).status, (await shown()).attempt], [1, 0]);
      assert.equal(await workshop.run({ early: true }), 1);
      assert.equal((await shown()).status, 2);
    });
  });

  describe('the secret of a tenant', () => {
    it('is created once, and still signs for a day after it was replaced', async () => {
      const database = client.database;
      const { id } = client.tenant;
      const [first, ...none] = await readSecrets(database, id);
      assert.match(String(first), /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.equal(none.length, 0);
      assert.deepEqual(await readSecrets(database, id), [first]);
      const second = await replaceSecret(database, id);
      assert.deepEqual(await readSecrets(database, id), [second, first]);
      const text = `update webhook_secrets set expires_at = now() - interval '1 second' where tenant_id = $1 and expires_at is not null`;
      await database.asOwner(id, ({ send }) => send({ name: null, text, values: [String(id)] }));
      assert.deepEqual(await readSecrets(database, id), [second]);
      const other = await app.newClient();
      assert.ok(!(await readSecrets(database, other.tenant.id)).includes(second));
    });

    it('is one, however many deliveries ask for the first one or administrators replace it at once', async () => {
      const { database, tenant } = await app.newClient();
      const first = await Promise.all([1, 2, 3, 4, 5].map(() => readSecrets(database, tenant.id)));
      assert.equal(new Set(first.flat()).size, 1);
      await Promise.all([1, 2, 3].map(() => replaceSecret(database, tenant.id)));
      const current = await database.asOwner(tenant.id, ({ kysely }) =>
        kysely.selectFrom('webhook_secrets').select('secret').where('expires_at', 'is', null).execute(),
      );
      assert.equal(current.length, 1);
      assert.equal((await readSecrets(database, tenant.id))[0], current[0]?.secret);
    });

    it('is out of reach for the tenants’ role, and the job queue too', async () => {
      for (const table of ['webhook_secrets', 'jobs.job', 'jobs.queue']) {
        const reading = client.database
          .forTenant(client.tenant)
          .read({ name: null, text: `select * from ${table}`, values: [] });
        await assert.rejects(reading, ({ cause }: Error) => /permission denied/.test(String(cause)), table);
      }
    });
  });
});
