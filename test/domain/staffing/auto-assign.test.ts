import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { AvailabilityRequests, pair, time_slots } from '../availability/scene.ts';
import { insist, Staffing } from './scene.ts';

/** A Friday evening. */
const span = ['2026-07-03T08:00:00Z', '2026-07-03T11:00:00Z'] as const;

forAnyApp((client, _, name) => {
  const staffing = new Staffing(client);

  /** A function of a new event that assigns automatically. */
  const shift = async (place: object = {}, event: object = {}): Promise<number> =>
    staffing.place(await staffing.event(...span, { auto_assign_enabled: 1, ...event }), place);
  const apply = (id: number, body: object = {}) => client.call('POST', `/assignments/${id}/apply`, { body });
  const post = (body: object) => client.call('POST', '/assignments', { body });
  const shown = ({ status, text, body }: ApiResponse): unknown[] => {
    assert.ok(status < 300, text);
    return [body.status, body.auto_assigned];
  };
  const read = async (id: number) => shown(await client.call('GET', `/assignments/${id}`));

  describe('an application in an event that assigns automatically', () => {
    it('gets the place, whichever way it comes', async () => {
      const place = await shift({ quantity: 20 });
      const invited = async (status = 1) => staffing.assignment(await staffing.employee(), place, status);
      assert.deepEqual(shown(await apply(await invited())), [6, 1]);
      assert.deepEqual(shown(await staffing.setStatus(await invited(), 3)), [6, 1]);
      const changed = await client.call('PUT', `/assignments/${await invited()}`, { body: { status: 3 } });
      assert.deepEqual(shown(changed), [6, 1]);
      const body = { event_function_id: place, employee_id: await staffing.employee(), status: 3 };
      assert.deepEqual(shown(await post(body)), [6, 1]);
      for (const before of [2, 4]) {
        const id = await invited();
        await staffing.setStatus(id, before);
        assert.deepEqual(shown(await apply(id)), [6, 1], String(before));
      }
      const ids = [await invited(), await invited()];
      const bulk = await client.call('PUT', '/assignments/status', { body: { assignment_ids: ids, status: 3 } });
      assert.deepEqual(
        bulk.body.results.map(({ result, from, to }: Record<string, unknown>) => [result, from, to]),
        ids.map(() => ['changed', 1, 6]),
      );
      const employee_ids = [await staffing.employee(), await staffing.employee()];
      const many = { event_function_id: place, employee_ids, status: 3 };
      const { body: outcome } = await client.call('POST', '/assignments/bulk', { body: many });
      for (const { assignment_id } of outcome.results) assert.deepEqual(await read(assignment_id), [6, 1]);
      const { body: counted } = await client.call('GET', `/event-functions/${place}`);
      assert.equal(counted.statistics, '10/20');
    });

    it('is assigned provisionally where the event says so', async () => {
      const place = await shift({}, { auto_assign_mode: 'provisional' });
      const id = await staffing.assignment(await staffing.employee(), place);
      assert.deepEqual(shown(await apply(id)), [5, 1]);
    });

    it('stands in the history before the assignment, which nobody requested', async () => {
      const id = await staffing.assignment(await staffing.employee(), await shift());
      await apply(id, { remarks: 'Late' });
      const { body } = await client.call('GET', `/assignments/${id}/history`);
      assert.deepEqual(
        body.map(({ from_status, to_status, data, api_user_id }: Record<string, unknown>) => [
          from_status,
          to_status,
          data,
          api_user_id !== null,
        ]),
        [
          [null, 1, null, true],
          [1, 3, { remarks: 'Late' }, true],
          [3, 6, { auto_assigned: 1 }, false],
        ],
      );
    });

    it('stays an application where no place is free or something stands against the employee', async () => {
      for (const mode of ['assigned', 'provisional']) {
        const event = await staffing.event(...span, { auto_assign_enabled: 1, auto_assign_mode: mode });
        const qualifications = [await staffing.qualification()];
        const place = await staffing.place(event, { required_qualifications: qualifications });
        const full = await staffing.place(event, { quantity: 0 });
        const booked = await staffing.employee({ qualifications });
        await staffing.assignment(booked, await staffing.shift(...span), 6);
        const absent = await staffing.employee({ qualifications });
        await staffing.create('busy-dates', { employee_id: absent, start: span[0], end: span[1] });
        const left = await staffing.employee({ qualifications });
        const cases: [employee: number, place: number][] = [
          [await staffing.employee(), full],
          [booked, place],
          [absent, place],
          [await staffing.employee(), place],
          [left, place],
        ];
        const ids = await Promise.all(cases.map(([employee, at]) => staffing.assignment(employee, at)));
        // Only one who has been unsure can still apply after leaving.
        await staffing.setStatus(ids[4] as number, 4);
        await client.call('PUT', `/employees/${left}`, { body: { status: 5 } });
        for (const id of ids) assert.deepEqual(shown(await apply(id)), [3, 0]);
        const forced = await client.call('POST', `/assignments/${ids[1]}/apply?force=true`, { body: {} });
        assert.deepEqual(shown(forced), [3, 0]);
        const free = await staffing.assignment(await staffing.employee({ qualifications }), place);
        assert.deepEqual(shown(await apply(free)), [mode === 'assigned' ? 6 : 5, 1]);
      }
    });

    it('is only a decision taken back if a planner resets it, and is assigned by hand then', async () => {
      const id = await staffing.assignment(await staffing.employee(), await shift());
      await apply(id);
      for (const status of [6, 5, 7]) {
        if (status !== 6) await staffing.setStatus(id, 6);
        if (status !== 6) await staffing.setStatus(id, status);
        assert.equal((await staffing.setStatus(id, 3)).body.status, 3);
      }
      assert.deepEqual(shown(await staffing.setStatus(id, 6)), [6, 0]);
      await staffing.setStatus(id, 3);
      assert.deepEqual(shown(await staffing.setStatus(id, 4)), [4, 0]);
      assert.deepEqual(shown(await apply(id)), [6, 1]);
    });

    it('waits for a planner in any other event, and does not become one when it is unsure', async () => {
      const plain = await staffing.assignment(await staffing.employee(), await staffing.shift(...span));
      assert.deepEqual(shown(await apply(plain)), [3, 0]);
      const unsure = await staffing.assignment(await staffing.employee(), await shift());
      assert.deepEqual(shown(await apply(unsure, { maybe: 1 })), [4, 0]);
    });

    it('is first come, first served: of 8 at once for the last place one is assigned', async () => {
      for (const how of ['apply', 'create', 'bulk']) {
        const place = await shift({ quantity: 1 });
        const employees = await Promise.all(Array.from({ length: 8 }, () => staffing.employee()));
        const requests = await Promise.all(
          employees.map(async employee_id => {
            if (how === 'create') return () => post({ employee_id, event_function_id: place, status: 3 });
            const many = { event_function_id: place, employee_ids: [employee_id], status: 3 };
            if (how === 'bulk') return () => client.call('POST', '/assignments/bulk', { body: many });
            const id = await staffing.assignment(employee_id, place);
            return () => apply(id);
          }),
        );
        const responses = await Promise.all(requests.map(insist));
        for (const { status, text } of responses) assert.ok(status < 300, text);
        const { body } = await client.call(
          'GET',
          `/assignments?event_function_id=${place}&fields=status,auto_assigned`,
        );
        const statuses = body.map(({ status, auto_assigned }: Record<string, number>) => `${status}${auto_assigned}`);
        assert.deepEqual(statuses.sort(), [...Array.from({ length: 7 }, () => '30'), '61'], `${how} on ${name}`);
        const { body: counted } = await client.call('GET', `/event-functions/${place}`);
        assert.equal(counted.statistics, '1/1');
      }
    });
  });

  describe('assigned_by_availability', () => {
    const requests = new AvailabilityRequests(client);

    /** An employee who has answered about the early slot (6 to 14 in Berlin) of the day. */
    const asked = async (available: number): Promise<number> => {
      const id = await requests.createDefined({ rules: [], requested_availabilities: [], time_slots });
      const body = { availabilities: [{ ...pair('2026-07-03', 1), available }] };
      const response = await client.call('PUT', `/availability-requests-availabilities/${id}`, { body });
      assert.equal(response.status, 200, response.text);
      return (await client.call('GET', `/availability-requests/${id}`)).body.employee_id;
    };
    const flagOf = async (employee: number, place: number, status: number): Promise<number> => {
      const id = await staffing.assignment(employee, place, status);
      return (await client.call('GET', `/assignments/${id}`)).body.assigned_by_availability;
    };

    it('is 1 if the employee had reported to be available for a slot that covers the times, by planner or automatically', async () => {
      const inside = await staffing.shift(...span);
      const [yes, no] = [await asked(1), await asked(0)];
      assert.equal(await flagOf(yes, inside, 5), 1);
      assert.equal(await flagOf(await asked(1), await shift(), 3), 1);
      assert.equal(await flagOf(no, inside, 6), 0);
      assert.equal(await flagOf(await staffing.employee(), inside, 6), 0);
      assert.equal(await flagOf(await asked(1), inside, 1), 0);
      const over = await staffing.shift(span[0], '2026-07-03T12:30:00Z');
      assert.equal(await flagOf(await asked(1), over, 6), 0);
      const bulk = { event_function_id: inside, employee_ids: [await asked(1), await asked(0)], status: 6 };
      const { body } = await client.call('POST', '/assignments/bulk', { body: bulk });
      const flags = await Promise.all(
        body.results.map(
          async (item: { assignment_id: number }) =>
            (await client.call('GET', `/assignments/${item.assignment_id}`)).body.assigned_by_availability,
        ),
      );
      assert.deepEqual(flags, [1, 0]);
    });
  });
});
