import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { today } from '../../../src/core/time.ts';
import { AvailabilityRequests, pair, rules } from '../../domain/availability/scene.ts';
import { assertConflict, assertErrors, errorsOf, insist } from '../../domain/staffing/scene.ts';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';

const entry = (date: string, time_slot_id: number, available: unknown = 1) => ({
  ...pair(date, time_slot_id),
  available,
});
const good = [entry('2026-07-01', 1), entry('2026-07-04', 2), entry('2026-07-05', 2)];

forAnyApp((client, app) => {
  const requests = new AvailabilityRequests(client);

  const put = (id: number, availabilities: unknown, query = ''): Promise<ApiResponse> =>
    client.call('PUT', `/availability-requests-availabilities/${id}${query}`, { body: { availabilities } });
  const post = (id: number, availabilities: unknown): Promise<ApiResponse> =>
    client.call('POST', '/availability-requests-availabilities', {
      body: { availability_request_id: id, availabilities },
    });
  const requestOf = async (id: number) => (await client.call('GET', `/availability-requests/${id}`)).body;
  const answerOf = (id: number) => client.call('GET', `/availability-requests-availabilities/${id}`);

  describe('an answer to an availability request', () => {
    it('is made by the first update, replaced whole by the next, and completes the request', async () => {
      const id = await requests.createDefined();
      assert.equal((await answerOf(id)).status, 404);
      assert.equal((await requestOf(id)).completed_at, null);
      const first = await put(id, good);
      assert.deepEqual([first.status, first.body.availabilities], [200, good]);
      const { completed_at, completed_by_enforcement } = await requestOf(id);
      assert.deepEqual([completed_at, completed_by_enforcement], [today(client.tenant), 0]);
      const other = [...good.slice(1), entry('2026-07-02', 1), { ...entry('2026-07-03', 1, 0), remarks: 'School' }];
      assert.deepEqual((await put(id, other)).body.availabilities, other);
      assert.deepEqual((await answerOf(id)).body.availabilities, other);
    });

    it('keeps the remarks that are hidden from whoever puts it back, each with its day and time slot', async () => {
      const id = await requests.createDefined();
      const remarked = good.map((item, index) => ({ ...item, remarks: `Remark ${index}` }));
      await put(id, remarked);
      const user = await restricted(app, client, { hidden: ['personal'] });
      const path = `/availability-requests-availabilities/${id}`;
      const { body } = await user.call('GET', path);
      assert.deepEqual(body.availabilities, good);
      const changed = body.availabilities.map((item: object, index: number) => ({
        ...item,
        available: index > 0 ? 1 : 0,
      }));
      const moved = [entry('2026-07-02', 1), { ...changed[2], available: 0 }, changed[1], changed[0]];
      for (const [given, wanted] of [
        [body.availabilities, remarked],
        [changed, remarked.map((item, index) => ({ ...item, available: changed[index].available }))],
        [moved, [moved[0], { ...remarked[2], available: 0 }, remarked[1], { ...remarked[0], available: 0 }]],
      ]) {
        const response = await user.call('PUT', `${path}?force=true`, { body: { availabilities: given } });
        assert.deepEqual([response.status, response.body.availabilities], [200, given], response.text);
        assert.deepEqual((await answerOf(id)).body.availabilities, wanted);
      }
      for (const [method, at] of [
        ['PUT', path],
        ['POST', '/availability-requests-availabilities'],
      ] as const) {
        const body = { availability_request_id: id, availabilities: [{ ...good[0], remarks: 'x' }] };
        assertErrors(await user.call(method, at, { body }), 'unknown_field availabilities.0.remarks');
      }
    });

    it('may be posted once, and removed, which opens the request again', async () => {
      const id = await requests.createDefined();
      assert.equal((await post(id, good)).status, 201);
      assert.equal((await requestOf(id)).completed_at, today(client.tenant));
      assertErrors(await post(id, good), 'not_unique availability_request_id');
      assert.equal((await client.call('DELETE', `/availability-requests-availabilities/${id}`)).status, 204);
      assert.equal((await requestOf(id)).completed_at, null);
      assert.equal((await client.call('DELETE', `/availability-requests-availabilities/${id}`)).status, 404);
    });

    it('is rejected with every rule that it breaks, with the rule’s message', async () => {
      const id = await requests.createDefined();
      const response = await put(id, [entry('2026-07-01', 1), entry('2026-07-02', 1), entry('2026-07-04', 2, 0)]);
      assert.equal(response.status, 422, response.text);
      assert.deepEqual(
        response.body.errors,
        rules.map(({ id: rule_id, message }) => ({ code: 'rule_not_met', field: 'availabilities', message, rule_id })),
      );
      assert.equal((await answerOf(id)).status, 404);
      assert.equal((await requestOf(id)).completed_at, null);
      assertErrors(await post(id, []), 'rule_not_met availabilities', 'rule_not_met availabilities');
      assert.equal((await put(id, [])).body.errors.length, 2);
    });

    it('meets a least and a greatest number exactly, counting available time slots only', async () => {
      const bounds = (count: number) => ({
        rules: [
          { id: 1, type: 'min', count, message: '' },
          { id: 2, type: 'max', count, message: '' },
        ],
      });
      const answer = [entry('2026-07-01', 1), entry('2026-07-02', 1, 0), entry('2026-07-04', 2)];
      assert.equal((await put(await requests.createDefined(bounds(2)), answer)).status, 200);
      for (const [count, broken] of [
        [1, 2],
        [3, 1],
      ] as const) {
        const { body } = await put(await requests.createDefined(bounds(count)), answer);
        assert.deepEqual(
          body.errors.map(({ rule_id }: { rule_id: number }) => rule_id),
          [broken],
        );
      }
    });

    it('is told the place of every entry that does not fit', async () => {
      const id = await requests.createDefined({ rules: [] });
      const response = await put(id, [
        entry('2026-07-01', 9),
        entry('2026-08-01', 2),
        entry('2026-07-04', 2),
        entry('2026-07-04', 2, 0),
        entry('2026-06-30', 8),
      ]);
      assertErrors(
        response,
        'reference_not_found availabilities.0.time_slot_id',
        'out_of_range availabilities.1.date',
        'not_unique availabilities.3',
        'reference_not_found availabilities.4.time_slot_id',
        'out_of_range availabilities.4.date',
      );
      assertErrors(
        await put(id, [entry('2026-07-04', 2), entry('2026-07-11', 2)]),
        'not_in_enumeration availabilities.1',
      );
      assertErrors(
        await put(id, [{ date: '2026-07-99', time_slot_id: 'a', nonsense: 1 }]),
        'not_empty availabilities.0.available',
        'unknown_field availabilities.0.nonsense',
        'invalid_format availabilities.0.date',
        'invalid_type availabilities.0.time_slot_id',
      );
    });

    it('takes flags in all their forms, and shows them as numbers', async () => {
      const id = await requests.createDefined({ rules: [{ id: 1, type: 'min', count: 1, message: 'One.' }] });
      const response = await put(id, [entry('2026-07-01', 1, true), entry('2026-07-02', 1, false)]);
      assert.deepEqual(response.body.availabilities, [entry('2026-07-01', 1, 1), entry('2026-07-02', 1, 0)]);
      assertErrors(await put(id, [entry('2026-07-01', 1, 'yes')]), 'invalid_type availabilities.0.available');
    });

    it('where nothing is listed may be about every time slot on its days of the week', async () => {
      const id = await requests.createDefined({ rules: [], requested_availabilities: [] });
      assert.equal((await put(id, [entry('2026-07-06', 1), entry('2026-07-11', 2)])).status, 200);
      assertErrors(await put(id, [entry('2026-07-11', 1)]), 'not_in_enumeration availabilities.0');
    });

    it('without a definition needs only days of the request, each time slot once', async () => {
      const id = await requests.create({ to: null });
      assert.equal((await put(id, [entry('2031-07-06', 7)])).status, 200);
      assertErrors(await put(id, [entry('2026-06-30', 7)]), 'out_of_range availabilities.0.date');
    });

    it('is rejected by a blocked request, however it comes', async () => {
      const id = await requests.createDefined({}, { blocked_at: '2026-06-01' });
      const refused = [['request_blocked', 'availability_request_id']];
      assert.deepEqual(errorsOf(await put(id, good)), refused);
      assert.deepEqual(errorsOf(await post(id, good)), refused);
      assert.equal((await put(id, good, '?force=true')).status, 200);
      assert.deepEqual(errorsOf(await put(id, good.slice(1))), refused);
      const path = `/availability-requests-availabilities/${id}`;
      assertConflict(await client.call('DELETE', path), 'request_blocked');
      assert.equal((await client.call('DELETE', `${path}?force=true`)).status, 204);
    });

    it('that is enforced is stored with its broken rules, and the request tells so until a good one comes', async () => {
      const id = await requests.createDefined();
      const enforced = async () => (await requestOf(id)).completed_by_enforcement;
      assert.equal((await put(id, [], '?force=true')).status, 200);
      assert.equal(await enforced(), 1);
      assert.notEqual((await requestOf(id)).completed_at, null);
      assertErrors(
        await put(id, [entry('2026-07-01', 9)], '?force=true'),
        'reference_not_found availabilities.0.time_slot_id',
      );
      assert.equal((await put(id, good, '?force=true')).status, 200);
      assert.equal(await enforced(), 0);
    });

    it('of 16 first ones at once all are taken, one after the other', async () => {
      const id = await requests.createDefined({ rules: [] });
      const responses = await Promise.all(
        Array.from({ length: 16 }, (__, index) => insist(() => put(id, index % 2 ? good : good.slice(1)))),
      );
      assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
      assert.equal(
        (await client.call('GET', `/availability-requests-availabilities?availability_request_id=${id}`)).body.length,
        1,
      );
    });
  });
});
