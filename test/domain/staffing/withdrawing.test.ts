import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Payroll } from '../work/scene.ts';
import { assertErrors } from './scene.ts';

const friday = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
const saturday = ['2026-06-13T16:00:00Z', '2026-06-13T22:00:00Z'] as const;
const autumn = ['2026-10-02T16:00:00Z', '2026-10-02T22:00:00Z'] as const;
const at = 'approved_by_planner_id';

forAnyApp(client => {
  const payroll = new Payroll(client);
  const { staffing } = payroll;

  interface Approved {
    readonly id: number;
    readonly event: number;
    readonly place: number;
    readonly employee: number;
  }

  /** An approved assignment whose event has moved since. */
  const moved = async (to: readonly [string, string], status = 6, work: object | null = null): Promise<Approved> => {
    const employee = await staffing.employee();
    const event = await staffing.event(...friday);
    const place = await staffing.place(event);
    const id = await staffing.assignment(employee, place, 6);
    if (work) await payroll.work(id, work);
    if (status !== 6) assert.equal((await staffing.setStatus(id, status)).status, 200);
    assert.equal((await payroll.approve(id, '?force=true')).status, 200);
    const response = await payroll.put(`/events/${event}`, { start: to[0], end: to[1] });
    assert.equal(response.status, 200, response.text);
    return { id, event, place, employee };
  };
  const withdraw = (id: number, query = ''): Promise<ApiResponse> =>
    payroll.put(`/assignments/${id}/approve${query}`, { [at]: null });
  const read = async (id: number) => (await client.call('GET', `/assignments/${id}`)).body;
  const overriddenOf = async (id: number) => (await payroll.list(`/assignments/${id}/history`)).at(-1).overridden;

  describe('withdrawing an approval after the event has moved', () => {
    it('is rejected where the employee has another assignment, on the new day only, and changes nothing', async () => {
      for (const status of [6, 7]) {
        const { id, employee } = await moved(saturday, status);
        const other = await staffing.assignment(employee, await staffing.shift(...saturday), 6);
        const before = await read(id);
        const rejected = await withdraw(id);
        assertErrors(rejected, `double_booked ${at}`);
        assert.deepEqual(
          rejected.body.errors[0].conflicts.map((conflict: { assignment_id: number }) => conflict.assignment_id),
          [other],
        );
        assert.deepEqual(await read(id), before);
        assert.equal((await staffing.setStatus(other, 5)).status, 200);
        const { body } = await withdraw(id);
        assert.deepEqual([body.is_approved, body.start, body.end], [0, ...saturday]);
        assert.deepEqual(await overriddenOf(id), []);
      }
    });

    it('is rejected where the employee is absent or lacks a qualification', async () => {
      const { id, employee, place } = await moved(saturday);
      await staffing.create('busy-dates', { employee_id: employee, start: saturday[0], end: saturday[1] });
      const required_qualifications = [await staffing.qualification()];
      assert.equal((await payroll.put(`/event-functions/${place}`, { required_qualifications })).status, 200);
      assertErrors(await withdraw(id), `absent ${at}`, `not_qualified ${at}`);
    });

    it('is rejected where its work would be left more than seven days behind, before or after', async () => {
      const work = { start: friday[0], end: friday[1] };
      const { id, event } = await moved(autumn, 6, work);
      assertErrors(await withdraw(id), `out_of_range ${at}`);
      await payroll.put(`/events/${event}`, { start: '2026-03-01T16:00:00Z', end: '2026-03-02T16:00:00Z' });
      assertErrors(await withdraw(id), `out_of_range ${at}`);
      await payroll.put(`/events/${event}`, { start: '2026-06-19T16:00:00Z', end: '2026-06-20T16:00:00Z' });
      assert.equal((await withdraw(id)).status, 200);
    });

    it('is forced, which the history tells, and rehearsed', async () => {
      const { id, employee } = await moved(autumn, 6, { start: friday[0], end: friday[1] });
      await staffing.assignment(employee, await staffing.shift(...autumn), 6);
      assertErrors(await withdraw(id, '?dry_run=true'), `double_booked ${at}`, `out_of_range ${at}`);
      assert.equal((await withdraw(id, '?force=true&dry_run=true')).body.start, autumn[0]);
      assert.equal((await read(id)).start, friday[0]);
      const { body, text } = await withdraw(id, '?force=true');
      assert.deepEqual([body.is_approved, body.start], [0, autumn[0]], text);
      assert.deepEqual(await overriddenOf(id), ['double_booked', 'out_of_range']);
    });

    it('is judged as long as the employee is booked, and not in an aborted event', async () => {
      const provisional = await moved(autumn, 5, { start: friday[0], end: friday[1] });
      await staffing.assignment(provisional.employee, await staffing.shift(...autumn), 6);
      assert.equal((await withdraw(provisional.id)).status, 200);
      const aborted = await moved(saturday);
      await staffing.assignment(aborted.employee, await staffing.shift(...saturday), 6);
      await payroll.put(`/events/${aborted.event}`, { status: 5 });
      assert.equal((await withdraw(aborted.id)).status, 200);
    });
  });

  it('withdrawing approvals in bulk judges those that book their employee alone', async () => {
    const work = { start: friday[0], end: friday[1] };
    const [booked, provisional] = [await moved(saturday), await moved(autumn, 5, work)];
    const assignment_ids = [booked.id, provisional.id];
    const { body, text } = await payroll.put('/assignments/approve', { assignment_ids, [at]: null });
    assert.deepEqual([body.changed, body.failed], [2, 0], text);
    assert.deepEqual([(await read(booked.id)).start, (await read(provisional.id)).start], [saturday[0], autumn[0]]);
  });

  it('withdrawing an approval judges nothing where the times stay', async () => {
    const employee = await staffing.employee();
    const ids = [];
    for (const query of ['', '?force=true']) {
      const body = { employee_id: employee, event_function_id: await staffing.shift(...friday), status: 6 };
      ids.push((await client.call('POST', `/assignments${query}`, { body })).body.id);
    }
    const [id] = ids;
    await client.call('POST', '/work-times?force=true', {
      body: { event_function_employee_id: id, start: autumn[0], end: autumn[1] },
    });
    assert.equal((await payroll.approve(id, '?force=true')).status, 200);
    await staffing.create('busy-dates', { employee_id: employee, start: friday[0], end: friday[1] });
    assert.equal((await withdraw(id)).status, 200);
    assert.deepEqual(await overriddenOf(id), []);
    assert.equal((await withdraw(id)).status, 200);
  });

  it('a withdrawal and a booking of the new day at once: one of the two gets through', async () => {
    for (const round of [1, 2, 3, 4]) {
      const { id, employee } = await moved(saturday);
      const other = await staffing.assignment(employee, await staffing.shift(...saturday), 5);
      const requests = [() => withdraw(id), () => staffing.setStatus(other, 6)];
      const responses = await Promise.all((round % 2 ? requests : requests.toReversed()).map(request => request()));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 422]);
    }
  });
});
