import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statuses, statusMap } from '../../../generated/status-map.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors, errorsOf, Staffing } from './scene.ts';

const evening = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
const later = ['2026-06-12T21:00:00Z', '2026-06-13T02:00:00Z'] as const;

forAnyApp(client => {
  const staffing = new Staffing(client);

  describe('the status map', () => {
    it('lets an assignment go where it says, and nowhere else, and tells the same beforehand', async () => {
      const place = await staffing.shift(...evening, { quantity: 1000 });
      for (const { value: from } of statuses) {
        const id = await staffing.assignment(await staffing.employee(), place, 6);
        const route: Record<number, number[]> = { 1: [1], 2: [1, 2], 3: [3], 4: [1, 4], 5: [5], 6: [], 7: [7], 8: [8] };
        for (const step of route[from] ?? []) assert.equal((await staffing.setStatus(id, step)).status, 200);
        const { body } = await client.call('GET', `/assignments/${id}/status-map`);
        assert.equal(body.status, from);
        assert.equal(body.statuses.length, 8);
        const allowed = body.statuses
          .filter((option: { allowed: number }) => option.allowed === 1)
          .map(({ value }: { value: number }) => value);
        assert.deepEqual(allowed, statusMap.from[from] ?? []);
        for (const { value: to } of statuses) {
          const response = await staffing.setStatus(id, to, '?dry_run=true');
          if (to === from || allowed.includes(to)) assert.equal(response.status, 200, response.text);
          else assertErrors(response, 'invalid_transition status');
          assert.equal(await staffing.statusOf(id), from);
        }
      }
    });

    it('keeps no response of a dry run for its Idempotency-Key', async () => {
      const id = await staffing.newAssignment(...evening, 6);
      const path = `/assignments/${id}/status`;
      const asked = { headers: { 'Idempotency-Key': `rehearsed-${id}` }, body: { status: 7 } };
      assert.equal((await client.call('PUT', `${path}?dry_run=true`, asked)).status, 200);
      assert.equal(await staffing.statusOf(id), 6);
      assert.equal((await client.call('PUT', path, asked)).status, 200);
      assert.equal(await staffing.statusOf(id), 7);
      assert.equal((await client.call('PUT', path, asked)).headers['idempotency-replayed'], 'true');
    });

    it('lets a new assignment begin as invited, applied, provisional or assigned only', async () => {
      const place = await staffing.shift(...evening, { quantity: 1000 });
      for (const { value: status } of statuses) {
        const body = { employee_id: await staffing.employee(), event_function_id: place, status };
        const response = await client.call('POST', '/assignments', { body });
        if ([1, 3, 5, 6].includes(status)) assert.equal(response.status, 201, response.text);
        else assertErrors(response, 'invalid_transition status');
      }
    });

    it('binds PUT of the record and applications too', async () => {
      const id = await staffing.newAssignment(...evening, 6);
      const put = await client.call('PUT', `/assignments/${id}`, { body: { status: 2 } });
      assertErrors(put, 'invalid_transition status');
      const applied = await client.call('POST', `/assignments/${id}/apply`, { body: { maybe: true } });
      assertErrors(applied, 'invalid_transition status');
      assert.equal((await client.call('POST', `/assignments/${id}/apply`, { body: {} })).body.status, 3);
    });
  });

  describe('a booking', () => {
    it('is rejected where another assigned or confirmed one overlaps, and tells which', async () => {
      const employee = await staffing.employee();
      const first = await staffing.assignment(employee, await staffing.shift(...evening), 6);
      const second = await staffing.assignment(employee, await staffing.shift(...later), 5);
      const response = await staffing.setStatus(second, 6);
      assertErrors(response, 'double_booked status');
      assert.equal(response.body.errors[0].conflicts[0].assignment_id, first);
      assert.equal(await staffing.statusOf(second), 5);
    });

    it('is taken with force, which its history tells', async () => {
      const employee = await staffing.employee();
      await staffing.assignment(employee, await staffing.shift(...evening), 6);
      const second = await staffing.assignment(employee, await staffing.shift(...later), 5);
      assert.equal((await staffing.setStatus(second, 6, '?force=true')).status, 200);
      const { body } = await client.call('GET', `/assignments/${second}/history`);
      assert.deepEqual(
        body.map((entry: Record<string, unknown>) => [
          entry.action,
          entry.from_status,
          entry.to_status,
          entry.overridden,
        ]),
        [
          ['created', null, 5, []],
          ['status', 5, 6, ['double_booked']],
        ],
      );
    });

    it('is free to touch another: a shift may begin when one ends', async () => {
      const employee = await staffing.employee();
      await staffing.assignment(employee, await staffing.shift('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'), 6);
      await staffing.assignment(employee, await staffing.shift('2026-06-12T22:00:00Z', '2026-06-13T02:00:00Z'), 6);
    });

    it('over night keeps its hours, also over the change to winter time', async () => {
      const employee = await staffing.employee();
      // Six hours on the clock, seven in fact.
      await staffing.assignment(employee, await staffing.shift('2026-10-24 22:00:00', '2026-10-25 04:00:00'), 6);
      const inside = await staffing.assignment(
        employee,
        await staffing.shift('2026-10-25T02:30:00+01:00', '2026-10-25T05:00:00+01:00'),
      );
      assertErrors(await staffing.setStatus(inside, 6), 'double_booked status');
      await staffing.assignment(
        employee,
        await staffing.shift('2026-10-25T04:00:00+01:00', '2026-10-25T08:00:00+01:00'),
        6,
      );
    });

    it('is rejected in an absence, and without a required qualification', async () => {
      const employee = await staffing.employee({ qualifications: [await staffing.qualification()] });
      const body = { employee_id: employee, start: evening[0], end: evening[1] };
      assert.equal((await client.call('POST', '/busy-dates', { body })).status, 201);
      const place = await staffing.shift(...later, {
        required_qualifications: [await staffing.qualification(), await staffing.qualification(1)],
      });
      const response = await client.call('POST', '/assignments', {
        body: { employee_id: employee, event_function_id: place, status: 6 },
      });
      assertErrors(response, 'absent employee_id', 'not_qualified employee_id');
    });

    it('is refused for the one of three shifts that clashes in a bulk, in the order asked for', async () => {
      const employee = await staffing.employee();
      const spans: [string, string][] = [[...evening], [...later], ['2026-06-14T16:00:00Z', '2026-06-14T22:00:00Z']];
      const ids: number[] = [];
      for (const span of spans) ids.push(await staffing.assignment(employee, await staffing.shift(...span)));
      const { body } = await client.call('PUT', '/assignments/status', { body: { assignment_ids: ids, status: 6 } });
      assert.deepEqual(
        body.results.map(({ result }: { result: string }) => result),
        ['changed', 'failed', 'changed'],
      );
      assert.equal(body.results[1].error.code, 'double_booked');
    });
  });

  describe('an event function', () => {
    it('takes its quantity with the overbooking of its event, rounded down, and no more', async () => {
      const event = await staffing.event(...evening, { overbooking_percent: 50 });
      const place = await staffing.place(event, { quantity: 3 });
      for (let count = 0; count < 4; count++) await staffing.assignment(await staffing.employee(), place, 5);
      const body = { employee_id: await staffing.employee(), event_function_id: place, status: 5 };
      assertErrors(await client.call('POST', '/assignments', { body }), 'function_full event_function_id');
      assert.equal((await client.call('GET', `/event-functions/${place}`)).body.statistics, '4/3');
    });

    it('takes no application while it is locked, and an employee only once', async () => {
      const place = await staffing.shift(...evening, { is_locked: 1 });
      const employee = await staffing.employee();
      const body = { employee_id: employee, event_function_id: place, status: 3 };
      assertErrors(await client.call('POST', '/assignments', { body }), 'function_locked event_function_id');
      await staffing.assignment(employee, place);
      assertErrors(
        await client.call('POST', '/assignments', { body: { ...body, status: 1 } }),
        'already_in_function employee_id',
      );
    });

    it('of an archived or aborted event takes nobody, and lets only go', async () => {
      const event = await staffing.event(...evening);
      const place = await staffing.place(event);
      const id = await staffing.assignment(await staffing.employee(), place, 6);
      await client.call('PUT', `/events/${event}`, { body: { status: 5 } });
      assertErrors(await staffing.setStatus(id, 7), 'event_not_active status');
      assert.equal((await staffing.setStatus(id, 8)).status, 200);
    });
  });

  describe('an approved assignment', () => {
    it('does not move, nor a paid one, and is paid only after approval', async () => {
      const id = await staffing.newAssignment(...evening, 6);
      const put = (action: string, body: object) => client.call('PUT', `/assignments/${id}/${action}`, { body });
      assertErrors(await put('pay', { paid_on: evening[1] }), 'not_approved paid_on');
      const approved = await put('approve?force=true', { approved_by_planner_id: await staffing.planner() });
      assert.equal(approved.body.is_approved, 1, approved.text);
      assert.notEqual(approved.body.approved_on, null);
      assertErrors(await staffing.setStatus(id, 7), 'assignment_approved status');
      assertErrors(await put('time', { start: evening[1] }), 'assignment_approved start');
      assert.equal((await put('pay', { paid_on: evening[1] })).body.paid_on, evening[1]);
      assertErrors(await staffing.setStatus(id, 7), 'assignment_paid status');
      assertErrors(await put('approve', { approved_by_planner_id: null }), 'assignment_paid approved_by_planner_id');
    });
  });

  describe('times', () => {
    it('of an assignment are checked where it is booked, and null takes them back to what is planned', async () => {
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, await staffing.shift(...evening), 6);
      await staffing.assignment(employee, await staffing.shift('2026-06-13T00:00:00Z', '2026-06-13T03:00:00Z'), 6);
      const setTime = (body: object) => client.call('PUT', `/assignments/${id}/time`, { body });
      assertErrors(await setTime({ end: '2026-06-13T01:00:00Z' }), 'double_booked start');
      assert.equal((await setTime({ end: '2026-06-13T00:00:00Z' })).body.end, '2026-06-13T00:00:00Z');
      assert.equal((await setTime({ end: null })).body.end, evening[1]);
      assertErrors(await setTime({ end: '2026-06-12T10:00:00Z' }), 'end_before_start end');
    });

    it('of events and event functions are checked for all who are booked there', async () => {
      const employee = await staffing.employee();
      const event = await staffing.event(...evening);
      const place = await staffing.place(event);
      await staffing.assignment(employee, place, 6);
      await staffing.assignment(employee, await staffing.shift('2026-06-13T00:00:00Z', '2026-06-13T03:00:00Z'), 6);
      const body = { end: '2026-06-13T01:00:00Z' };
      assertErrors(await client.call('PUT', `/events/${event}`, { body }), 'double_booked start');
      assertErrors(await client.call('PUT', `/event-functions/${place}`, { body }), 'double_booked start');
      assert.equal((await client.call('PUT', `/events/${event}?force=true`, { body })).status, 200);
    });
  });

  it('times of someone booked who lacks a qualification move with force only, whichever way they move', async () => {
    const event = await staffing.event(...evening);
    const place = await staffing.place(event, { required_qualifications: [await staffing.qualification()] });
    const id = await staffing.assignment(await staffing.employee(), place);
    assert.equal((await staffing.setStatus(id, 6, '?force=true')).status, 200);
    for (const path of [`/assignments/${id}/time`, `/event-functions/${place}`, `/events/${event}`]) {
      const move = (query: string) => client.call('PUT', `${path}${query}`, { body: { end: '2026-06-12T21:00:00Z' } });
      assert.deepEqual(errorsOf(await move('')), [['not_qualified', 'start']], path);
      assert.equal((await move('?dry_run=true&force=true')).status, 200, path);
    }
  });

  it('a break lies within the work, also if only one of its ends is told', async () => {
    const id = await staffing.newAssignment(...evening);
    const setTime = (body: object) => client.call('PUT', `/assignments/${id}/time`, { body });
    for (const name of ['break_start', 'break_end'])
      for (const time of ['2026-06-12T12:00:00Z', '2026-06-13T12:00:00Z'])
        assert.deepEqual(errorsOf(await setTime({ [name]: time })), [['out_of_range', name]], `${name} ${time}`);
    assert.equal((await setTime({ break_start: evening[0], break_end: evening[1] })).status, 200);
  });

  describe('a bulk change', () => {
    it('needs ids or filters, and takes 500 in one call and no more', async () => {
      const bulk = (body: object, query = '') => client.call('PUT', `/assignments/status${query}`, { body });
      assertErrors(await bulk({ status: 6 }), 'scope_required assignment_ids');
      const ids = Array.from({ length: 501 }, (__, index) => index + 1);
      assertErrors(await bulk({ status: 6, assignment_ids: ids }), 'too_many_items assignment_ids');
      const { body } = await bulk({ status: 6, assignment_ids: [Number.MAX_SAFE_INTEGER] });
      assert.equal(body.results[0].error.code, 'reference_not_found');
    });

    it('of those that a filter finds is told one by one; atomic, one failure keeps all', async () => {
      const place = await staffing.shift(...evening, { quantity: 1 });
      const ids: number[] = [];
      for (let count = 0; count < 3; count++) ids.push(await staffing.assignment(await staffing.employee(), place));
      const bulk = (body: object) => client.call('PUT', `/assignments/status?event_function_id=${place}`, { body });
      assertErrors(await bulk({ status: 5, atomic: 1 }), 'function_full status', 'function_full status');
      for (const id of ids) assert.equal(await staffing.statusOf(id), 1);
      const { body } = await bulk({ status: 5 });
      assert.deepEqual([body.requested, body.changed, body.unchanged, body.failed], [3, 1, 0, 2]);
      assert.equal((await client.call('GET', `/event-functions/${place}`)).body.statistics, '1/1');
    });
  });
});
