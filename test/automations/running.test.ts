import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { maxDepth } from '../../src/domain/occurrences/trigger.ts';
import { type Staffing as Scene, Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf, webhook } from './scene.ts';
import { Workshop } from './work.ts';

forAnyApp((_, app) => {
  let client: Client;
  let scene: Scene;
  let workshop: Workshop;

  beforeEach(async () => {
    client = await app.newClient();
    scene = new Staffing(client);
    workshop = new Workshop(client.database, client.tenant);
  });

  const shift = (changes: object = {}) => scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z', changes);
  const assign = async (status = 1) => scene.assignment(await scene.employee(), await shift(), status);
  const statusChanged = (configuration: object = {}) => ['assignment.status_changed', configuration] as const;
  const lockedOf = async (id: number) => (await client.call('GET', `/event-functions/${id}`)).body.is_locked;

  describe('assignment.status_changed', () => {
    it('fires once for a new assignment and for each change by POST, PUT, status, apply and bulk', async () => {
      const automation = await automate(client, statusChanged());
      const place = await shift();
      const employee = await scene.employee();
      const id = await scene.assignment(employee, place);
      await client.call('PUT', `/assignments/${id}`, { body: { status: 3 } });
      await scene.setStatus(id, 5);
      await scene.setStatus(id, 5);
      await scene.setStatus(id, 8);
      await client.call('PUT', `/assignments/${id}`, { body: { status: 1 } });
      await client.call('POST', `/assignments/${id}/apply`, { body: { maybe: 1 } });
      await client.call('PUT', '/assignments/status', { body: { assignment_ids: [id], status: 6 } });
      await client.call('PUT', `/assignments/${id}`, { body: { remarks: 'no change of status' } });
      const told = (await deliveriesOf(client, automation)).map(({ data }) => [data.from, data.to]);
      assert.deepEqual(told, [
        [null, 1],
        [1, 3],
        [3, 5],
        [5, 8],
        [8, 1],
        [1, 4],
        [4, 6],
      ]);
      const [first] = await deliveriesOf(client, automation, '?limit=1');
      const { event_id } = (await client.call('GET', `/event-functions/${place}`)).body;
      const subjects = { assignment_id: id, employee_id: employee, event_function_id: place, event_id };
      assert.deepEqual(first?.data, { ...subjects, from: null, to: 1 });
    });

    it('can be limited to statuses', async () => {
      const [narrow, wide] = [
        await automate(client, statusChanged({ to: [6, 7] })),
        await automate(client, statusChanged()),
      ];
      const id = await assign();
      for (const status of [3, 6, 7, 8]) await scene.setStatus(id, status);
      assert.deepEqual(
        (await deliveriesOf(client, narrow)).map(({ data }) => data.to),
        [6, 7],
      );
      assert.equal((await deliveriesOf(client, wide)).length, 5);
    });

    it('fires for each assignment of a bulk change, and for none that failed', async () => {
      const automation = await automate(client, statusChanged({ to: [8, 7] }));
      const place = await shift({ quantity: 60 });
      const ids = [];
      for (let count = 0; count < 40; count++) ids.push(await scene.assignment(await scene.employee(), place, 6));
      const failing = await scene.assignment(await scene.employee(), place, 1);
      const body = { assignment_ids: [...ids, failing], status: 7 };
      assert.equal((await client.call('PUT', '/assignments/status', { body: { ...body, atomic: 1 } })).status, 422);
      assert.deepEqual(await deliveriesOf(client, automation), []);
      await client.call('PUT', '/assignments/status', { body });
      const told = (await deliveriesOf(client, automation)).map(({ data }) => data.assignment_id);
      assert.deepEqual(told, ids);
      assert.equal(await workshop.run(), 40);
    });

    it('does not fire for dry runs, rejected requests and repetitions with an Idempotency-Key', async () => {
      const automation = await automate(client, statusChanged({ to: [6, 8] }));
      const id = await assign();
      await scene.setStatus(id, 6, '?dry_run=true');
      await scene.setStatus(id, 7);
      const path = `/assignments/${id}/status`;
      const headers = { 'Idempotency-Key': 'once' };
      await client.call('PUT', `${path}?dry_run=true`, { headers: { 'Idempotency-Key': 'dry' }, body: { status: 6 } });
      assert.equal((await deliveriesOf(client, automation)).length, 0);
      assert.equal(await workshop.run({ early: true }), 0);
      for (let repeat = 0; repeat < 3; repeat++) {
        assert.equal((await client.call('PUT', path, { headers, body: { status: 6 } })).status, 200);
      }
      assert.equal((await deliveriesOf(client, automation)).length, 1);
      assert.equal(await workshop.run(), 1);
      assert.equal(workshop.sent.length, 1);
    });
  });

  describe('checkin.created', () => {
    const checkIn = async (type: number, timestamp: string, assignment_id: number) => {
      const body = { assignment_id, type, source: 2, timestamp };
      return client.call('POST', '/checkins', { body });
    };

    it('fires once for each check-in, limited to types', async () => {
      const [starts, all] = [
        await automate(client, ['checkin.created', { type: [1] }]),
        await automate(client, ['checkin.created', {}]),
      ];
      const id = await assign(6);
      const first = await checkIn(1, '2031-05-02T10:00:00Z', id);
      assert.equal(first.status, 201, first.text);
      assert.equal((await checkIn(1, '2031-05-02T10:00:00Z', id)).status, 200);
      assert.equal((await checkIn(4, '2031-05-02T18:00:00Z', id)).status, 201);
      assert.equal((await checkIn(4, '2031-05-02T19:00:00Z', id)).status, 422);
      const { employee_id, event_function_id, event_id } = (await client.call('GET', `/assignments/${id}`)).body;
      const [told, ...more] = await deliveriesOf(client, starts);
      assert.equal(more.length, 0);
      const checkin = { checkin_id: first.body.id, type: 1, source: 2, timestamp: '2031-05-02T10:00:00Z' };
      assert.deepEqual(told?.data, { assignment_id: id, employee_id, event_function_id, event_id, ...checkin });
      assert.deepEqual(
        (await deliveriesOf(client, all)).map(({ data }) => data.type),
        [1, 4],
      );
    });

    it('confirms the assignment, or locks its function', async () => {
      await automate(client, ['checkin.created', { type: [1] }], ['assignment.set_status', { status: 7 }]);
      await automate(client, ['checkin.created', { type: [4] }], ['function.lock', {}]);
      const id = await assign(6);
      await checkIn(1, '2031-05-02T10:00:00Z', id);
      assert.equal(await workshop.run(), 1);
      assert.equal(await scene.statusOf(id), 7);
      const place = (await client.call('GET', `/assignments/${id}`)).body.event_function_id;
      assert.equal(await lockedOf(place), 0);
      await checkIn(4, '2031-05-02T18:00:00Z', id);
      await workshop.run();
      assert.equal(await lockedOf(place), 1);
    });
  });

  describe('assignment.set_status', () => {
    it('follows the rules of assignments, and is in the history as a change by the automation', async () => {
      const automation = await automate(client, statusChanged({ to: [3] }), ['assignment.set_status', { status: 5 }]);
      const place = await shift({ quantity: 1 });
      const [first, second] = [
        await scene.assignment(await scene.employee(), place),
        await scene.assignment(await scene.employee(), place),
      ];
      for (const id of [first, second]) {
        await scene.setStatus(id, 3);
        await workshop.run();
      }
      assert.deepEqual([await scene.statusOf(first), await scene.statusOf(second)], [5, 3]);
      const outcomes = (await deliveriesOf(client, automation)).map(({ status, error, attempt }) => [
        status,
        error,
        attempt,
      ]);
      assert.deepEqual(outcomes, [
        [2, null, 1],
        [3, 'function_full', 1],
      ]);
      const history = (await client.call('GET', `/assignments/${first}/history`)).body;
      const { to_status, api_user_id, automation_id } = history.at(-1);
      assert.deepEqual(
        { to_status, api_user_id, automation_id },
        { to_status: 5, api_user_id: null, automation_id: automation },
      );
      assert.equal(history[0].automation_id, null);
      const { statistics } = (await client.call('GET', `/event-functions/${place}`)).body;
      assert.equal(statistics, '1/1');
    });

    it('fails with the code of the error, and is not tried again', async () => {
      const automation = await automate(client, statusChanged({ to: [3] }), ['assignment.set_status', { status: 7 }]);
      const id = await assign();
      await scene.setStatus(id, 3);
      await workshop.run({ early: true });
      assert.equal(await scene.statusOf(id), 3);
      const [told] = await deliveriesOf(client, automation);
      assert.deepEqual([told?.status, told?.error, told?.next_attempt_at], [3, 'invalid_transition', null]);
    });

    for (const [name, method, query, body, code] of [
      ['is inactive', 'PUT', '', { status: 5 }, 'reference_inactive'],
      ['is deleted', 'PUT', '', { status: 6 }, 'reference_inactive'],
      ['has been forgotten', 'DELETE', '?anonymize=true', undefined, 'record_forgotten'],
    ] as const)
      it(`does not book an employee who ${name} meanwhile, and goes on with what is booked`, async () => {
        const booking = await automate(client, statusChanged({ to: [3] }), ['assignment.set_status', { status: 5 }]);
        const confirming = await automate(client, statusChanged({ to: [6] }), ['assignment.set_status', { status: 7 }]);
        const employee = await scene.employee();
        // Has begun, so that forgetting leaves it.
        const past = (day: number) => scene.shift(`2020-05-0${day}T10:00:00Z`, `2020-05-0${day}T18:00:00Z`);
        const [applied, assigned] = [
          await scene.assignment(employee, await past(2), 3),
          await scene.assignment(employee, await past(4), 6),
        ];
        const response = await client.call(method, `/employees/${employee}${query}`, body && { body });
        assert.ok(response.status < 300, response.text);
        await workshop.run({ early: true });
        assert.deepEqual([await scene.statusOf(applied), await scene.statusOf(assigned)], [3, 7]);
        const outcomes = async (automation: number) =>
          (await deliveriesOf(client, automation)).map(({ status, attempt, error }) => [status, attempt, error]);
        assert.deepEqual([await outcomes(booking), await outcomes(confirming)], [[[3, 1, code]], [[2, 1, null]]]);
      });

    it('fails if its assignment does not exist any more', async () => {
      const automation = await automate(client, statusChanged({ to: [3] }), ['assignment.set_status', { status: 5 }]);
      const id = await assign();
      await scene.setStatus(id, 3);
      assert.equal((await client.call('DELETE', `/assignments/${id}`)).status, 204);
      await workshop.run();
      assert.equal((await deliveriesOf(client, automation))[0]?.error, 'not_found');
    });

    it('triggers other automations, at most five in a chain', async () => {
      const back = await automate(client, statusChanged({ to: [5] }), ['assignment.set_status', { status: 6 }]);
      const forth = await automate(client, statusChanged({ to: [6] }), ['assignment.set_status', { status: 5 }]);
      const id = await assign();
      await scene.setStatus(id, 5);
      const done = await workshop.run({ rounds: 50 });
      assert.equal(done, maxDepth);
      const all = [...(await deliveriesOf(client, back)), ...(await deliveriesOf(client, forth))];
      assert.equal(all.filter(({ status }) => status === 2).length, maxDepth);
      assert.deepEqual(
        all.filter(({ status }) => status === 3).map(({ error, attempt }) => [error, attempt]),
        [['loop_limit', 0]],
      );
    });
  });

  describe('a delivery', () => {
    it('is deleted with its automation, also while it is pending', async () => {
      const automation = await automate(client, statusChanged({ to: [6] }));
      await scene.setStatus(await assign(), 6);
      assert.equal((await client.call('DELETE', `/automations/${automation}`)).status, 204);
      await workshop.run({ early: true });
      assert.deepEqual(workshop.sent, []);
      assert.equal((await client.call('GET', `/automations/${automation}/deliveries`)).status, 404);
    });

    it('is listed with filters, sorts and pages, and read as a relation of its automation', async () => {
      const automation = await automate(client, statusChanged());
      const id = await assign();
      await scene.setStatus(id, 6);
      await workshop.run({ rounds: 1 });
      await scene.setStatus(id, 7);
      const list = (query: string) => deliveriesOf(client, automation, query);
      assert.equal((await list('?status=1')).length, 1);
      assert.equal((await list('?status=2&sort=-id&fields=id,attempt')).length, 2);
      assert.deepEqual(await list('?event_type=checkin.created'), []);
      const page = await client.call('GET', `/automations/${automation}/deliveries?limit=2&count=true`);
      assert.deepEqual([page.body.length, page.headers['x-total-count']], [2, '3']);
      const next = /<\/api\/v1(.*)>/.exec(String(page.headers.link))?.[1] ?? '';
      assert.equal((await client.call('GET', next)).body.length, 1);
      const embedded = (await client.call('GET', `/automations/${automation}?embed=deliveries`)).body.deliveries;
      assert.deepEqual(
        embedded.map(({ status }: { status: number }) => status),
        [2, 2, 1],
      );
    });

    it('is visible to its own tenant only', async () => {
      const other = await app.newClient();
      const theirs = await automate(other, statusChanged());
      const mine = await automate(client, statusChanged());
      await assign();
      assert.deepEqual(await deliveriesOf(other, theirs), []);
      assert.equal((await other.call('GET', `/automations/${mine}/deliveries`)).status, 404);
    });

    it('is not added for a tenant without the module, and not attempted for one that has lost it', async () => {
      const automation = await automate(client, statusChanged());
      const id = await assign();
      await client.database.system
        .updateTable('tenants')
        .set({ modules: '["checkins"]' })
        .where('id', '=', client.tenant.id)
        .execute();
      await workshop.run();
      assert.deepEqual(workshop.sent, []);
      const plain = await app.newClient({ modules: new Set(['checkins']) });
      const own = new Staffing(plain);
      const other = await own.assignment(
        await own.employee(),
        await own.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z'),
      );
      const rows = await client.database
        .forTenant(client.tenant)
        .snapshot(({ kysely }) =>
          kysely.selectFrom('automation_deliveries').select(['automation_id', 'status', 'error']).execute(),
        );
      assert.deepEqual(rows, [{ automation_id: automation, status: 3, error: 'module_disabled' }]);
      assert.ok(id > 0 && other > 0);
    });

    it('is tried once by two workers at the same time', async () => {
      const automation = await automate(client, statusChanged({ to: [6] }));
      const place = await shift({ quantity: 30 });
      const ids = [];
      for (let count = 0; count < 30; count++) ids.push(await scene.assignment(await scene.employee(), place));
      await client.call('PUT', '/assignments/status', { body: { assignment_ids: ids, status: 6 } });
      const counts = await Promise.all([workshop.run(), workshop.run(), workshop.run()]);
      assert.equal(
        counts.reduce((a, b) => a + b),
        30,
      );
      const told = workshop.sent.map(({ id }) => id);
      assert.equal(new Set(told).size, 30);
      assert.equal(told.length, 30);
      const shown = await deliveriesOf(client, automation);
      assert.ok(shown.every(({ status, attempt }) => status === 2 && attempt === 1));
    });

    it('leaves nothing of a webhook’s headers, secret or URL in the log but its host, at level warn if it fails', async () => {
      await automate(client, statusChanged({ to: [6] }));
      await scene.setStatus(await assign(), 6);
      await workshop.run();
      workshop.respond = () => ({ status: 500, error: 'not_accepted' });
      await scene.setStatus(await assign(), 6);
      await workshop.run();
      const lines = workshop.logs.map(line => JSON.parse(line)).filter(({ msg }) => /^automation /.test(msg));
      assert.deepEqual(
        lines.map(({ msg, level, host }) => [msg, level, host]),
        [
          ['automation done', 30, new URL(webhook[1].url).host],
          ['automation failed', 40, new URL(webhook[1].url).host],
        ],
      );
      const [message] = workshop.sent;
      const secret = String(message?.secrets[0]);
      assert.match(secret, /^whsec_/);
      assert.equal(message?.headers['X-Key'], 'k-4711');
      const logged = [...workshop.logs, ...app.logs].join('');
      assert.ok(workshop.logs.some(line => line.includes('"automation done"')));
      for (const text of ['k-4711', secret, secret.slice(6), webhook[1].url]) assert.ok(!logged.includes(text), text);
    });
  });
});
