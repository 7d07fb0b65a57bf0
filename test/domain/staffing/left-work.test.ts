import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Payroll } from '../work/scene.ts';
import { assertErrors } from './scene.ts';

const work = { start: '2026-06-12T16:00:00Z', end: '2026-06-12T22:00:00Z' };
/** The last times that a week does not separate from the work, and the next. */
const [near, far] = ['2026-06-19T16:00:00Z', '2026-06-19T16:00:01Z'];
const [nearEnd, farEnd] = ['2026-06-05T22:00:00Z', '2026-06-05T21:59:59Z'];
const later = '2026-12-01T20:00:00Z';
const earlier = '2026-01-01T20:00:00Z';

forAnyApp(client => {
  const payroll = new Payroll(client);
  const { staffing } = payroll;

  /** An assignment to a new event at the times of the work. */
  const assign = async () => {
    const event = await staffing.event(work.start, work.end);
    const place = await staffing.place(event, { start: work.start, end: work.end });
    const id = await staffing.assignment(await staffing.employee(), place, 6);
    return { id, event, place };
  };
  type Assigned = Awaited<ReturnType<typeof assign>>;
  const historyOf = (id: number) => payroll.list(`/assignments/${id}/history`);

  /** The ways to move an assignment. */
  const ways: readonly [
    name: string,
    move: (assigned: Assigned, times: object, query?: string) => Promise<ApiResponse>,
  ][] = [
    ['the assignment', ({ id }, times, query = '') => payroll.put(`/assignments/${id}/time${query}`, times)],
    ['its event function', ({ place }, times, query = '') => payroll.put(`/event-functions/${place}${query}`, times)],
    [
      'its event',
      async ({ event, place }, times, query = '') => {
        await payroll.put(`/event-functions/${place}?force=true`, { start: null, end: null });
        return payroll.put(`/events/${event}${query}`, times);
      },
    ],
  ];
  /** Kinds of work that has not been approved. */
  const kinds: readonly [name: string, record: (id: number) => Promise<unknown>][] = [
    ['a work time', id => payroll.work(id, work)],
    ['an open proposal', id => payroll.propose(id, work)],
  ];

  for (const [way, move] of ways)
    for (const [kind, record] of kinds)
      it(`times of ${way} that leave ${kind} more than a week before or after them are rejected, to the second`, async () => {
        const assigned = await assign();
        await record(assigned.id);
        assertErrors(await move(assigned, { start: far, end: later }), 'out_of_range start');
        assert.equal((await move(assigned, { start: near, end: later })).status, 200);
        assertErrors(await move(assigned, { start: earlier, end: farEnd }), 'out_of_range end');
        assert.equal((await move(assigned, { start: earlier, end: nearEnd })).status, 200);
        assert.deepEqual(
          (await historyOf(assigned.id)).flatMap(({ overridden }) => overridden),
          [],
        );
        const forced = await move(assigned, { start: earlier, end: farEnd }, '?force=true');
        assert.equal(forced.status, 200, forced.text);
        assert.deepEqual((await historyOf(assigned.id)).at(-1).overridden, ['out_of_range']);
      });

  describe('times move', () => {
    it('away from approved work and from decided proposals', async () => {
      for (const status of [2, 3]) {
        const assigned = await assign();
        await payroll.put(`/work-time-proposals/${await payroll.propose(assigned.id, work)}`, { status });
        assert.equal((await payroll.put(`/events/${assigned.event}`, { end: later })).status, 200);
        assert.equal((await payroll.put(`/assignments/${assigned.id}/time`, { start: far, end: later })).status, 200);
      }
    });

    it('without a word where work that was forced stays as far away, as the times of others do', async () => {
      const { id, event, place } = await assign();
      await client.call('POST', '/work-times?force=true', {
        body: { event_function_employee_id: id, start: '2027-06-12T16:00:00Z', end: '2027-06-12T22:00:00Z' },
      });
      assert.equal((await payroll.put(`/events/${event}`, { start: '2026-06-12T12:00:00Z' })).status, 200);
      assert.equal((await payroll.put(`/event-functions/${place}`, { quantity: 6 })).status, 200);
      assert.equal((await payroll.put(`/assignments/${id}/time`, { break_start: null })).status, 200);
    });
  });

  it('a move of an event names each assignment whose work it leaves behind, whatever its status, and does not move', async () => {
    const event = await staffing.event(work.start, work.end);
    const place = await staffing.place(event);
    const ids = [];
    for (const status of [6, 5, 6]) {
      const id = await staffing.assignment(await staffing.employee(), place, 6);
      if (ids.length < 2) await payroll.propose(id, work);
      if (status !== 6) await staffing.setStatus(id, status);
      ids.push(id);
    }
    const [booked, provisional] = ids;
    const rejected = await payroll.put(`/events/${event}?dry_run=true`, { start: far, end: later });
    assertErrors(rejected, 'out_of_range start', 'out_of_range start');
    assert.deepEqual(
      rejected.body.errors.map((error: { assignment_id: number }) => error.assignment_id),
      [booked, provisional],
    );
    const forced = await payroll.put(`/events/${event}?force=true`, { start: far, end: later });
    assert.equal(forced.status, 200, forced.text);
    for (const id of ids)
      assert.deepEqual(
        (await historyOf(id)).flatMap(({ overridden }) => overridden),
        id === ids[2] ? [] : ['out_of_range'],
      );
  });

  it('an event that comes back from the aborted ones at its times is not judged by work', async () => {
    const { id, event } = await assign();
    await client.call('POST', '/work-times?force=true', {
      body: { event_function_employee_id: id, start: later, end: '2026-12-01T22:00:00Z' },
    });
    for (const status of [5, 2]) assert.equal((await payroll.put(`/events/${event}`, { status })).status, 200);
  });
});
