import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { end, Payroll, start } from './scene.ts';
import { useSite } from './site.ts';

/** The last second of the week after the shift, which ends on June 13 at 1:00, and the first one of the week before. */
const last = { start: '2026-06-19T20:00:00Z', end: '2026-06-20T01:00:00Z' };
const tooLate = { start: '2026-06-19T20:00:00Z', end: '2026-06-20T01:00:01Z' };
const first = { start: '2026-06-05T16:00:00Z', end: '2026-06-05T20:00:00Z' };
const tooEarly = { start: '2026-06-05T15:59:59Z', end: '2026-06-05T20:00:00Z' };
const nextYear = { start: '2027-06-12T16:00:00Z', end: '2027-06-13T01:00:00Z' };

forAnyApp(client => {
  const payroll = new Payroll(client);
  const site = useSite(client);
  const post = (path: string, body: object) => client.call('POST', path, { body });

  /** The resources of work: the field of the assignment, and a body without it. */
  const works: readonly [resource: string, field: string, body: object][] = [
    ['work-times', 'event_function_employee_id', { start, end }],
    ['work-time-proposals', 'assignment_id', { start, end }],
    ['wage-proposals', 'assignment_id', { wage_type_id: 5, value: 3 }],
    ['assignment-wages', 'assignment_id', { base_value: 10, factor: 2 }],
  ];

  for (const [resource, field, body] of works) {
    it(`${resource} are created for assignments in 6 or 7 only, in spite of force`, async () => {
      const query = Object.hasOwn(body, 'start') ? '?force=true' : '';
      for (const status of [1, 3, 5, 8]) {
        const id = await payroll.assignment();
        assert.equal((await payroll.staffing.setStatus(id, status)).status, 200);
        assertErrors(await post(`/${resource}${query}`, { [field]: id, ...body }), `invalid_transition ${field}`);
      }
      const booked = await payroll.assignment();
      assert.equal((await post(`/${resource}`, { [field]: booked, ...body })).status, 201);
      assert.equal((await payroll.staffing.setStatus(booked, 7)).status, 200);
      assert.equal((await post(`/${resource}`, { [field]: booked, ...body })).status, 201);
    });
  }

  for (const [resource, field] of works.slice(0, 2)) {
    describe(`the times of ${resource}`, () => {
      it('are within seven days of those of the assignment, to the second, unless force is given', async () => {
        const id = await payroll.assignment();
        for (const times of [first, last])
          assert.equal((await post(`/${resource}`, { [field]: id, ...times })).status, 201);
        assertErrors(await post(`/${resource}`, { [field]: id, ...tooEarly }), 'out_of_range start');
        assertErrors(await post(`/${resource}`, { [field]: id, ...tooLate }), 'out_of_range end');
        assertErrors(
          await post(`/${resource}`, { [field]: id, ...nextYear }),
          'out_of_range start',
          'out_of_range end',
        );
        assert.equal((await post(`/${resource}?force=true`, { [field]: id, ...nextYear })).status, 201);
      });

      it('follow the effective times of the assignment', async () => {
        const id = await payroll.assignment();
        assert.equal((await payroll.put(`/assignments/${id}/time`, nextYear)).status, 200);
        assert.equal((await post(`/${resource}`, { [field]: id, ...nextYear })).status, 201);
        assertErrors(await post(`/${resource}`, { [field]: id, start, end }), 'out_of_range start', 'out_of_range end');
      });

      it('do not move out of these seven days, unless force is given, and do not hinder other changes', async () => {
        const id = await payroll.assignment();
        const { body: record } = await post(`/${resource}`, { [field]: id, start, end });
        const path = `/${resource}/${record.id}`;
        assertErrors(await payroll.put(path, nextYear), 'out_of_range start', 'out_of_range end');
        assert.equal((await payroll.put(`${path}?force=true`, nextYear)).body.start, nextYear.start);
        assert.equal((await payroll.put(path, { break_start: null })).status, 200);
      });

      it('do not move once the assignment is no longer booked, and can be deleted', async () => {
        const id = await payroll.assignment();
        const { body: record } = await post(`/${resource}`, { [field]: id, start, end });
        await payroll.staffing.setStatus(id, 5);
        const path = `/${resource}/${record.id}`;
        const moved = { start: '2026-06-12T17:00:00Z' };
        assertErrors(await payroll.put(`${path}?force=true`, moved), `invalid_transition ${field}`);
        assert.equal((await client.call('DELETE', path)).status, 204);
      });
    });
  }

  it('proposals of an assignment that is no longer booked can be rejected, not accepted', async () => {
    const id = await payroll.assignment();
    const [time, wage] = [
      await payroll.propose(id),
      await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 5, value: 3 }),
    ];
    await payroll.staffing.setStatus(id, 5);
    for (const path of [`/work-time-proposals/${time}`, `/wage-proposals/${wage}`]) {
      assertErrors(await payroll.put(path, { status: 2 }), 'invalid_transition assignment_id');
      assert.equal((await payroll.put(path, { status: 3 })).body.status, 3);
    }
  });

  it('a proposal that the assignment has moved away from is accepted with force, which its history tells', async () => {
    const id = await payroll.assignment();
    const proposal = await payroll.propose(id);
    await payroll.put(`/assignments/${id}/time?force=true`, nextYear);
    assertErrors(await payroll.accept(proposal), 'out_of_range start', 'out_of_range end');
    assert.equal((await payroll.accept(proposal, '?force=true')).body.status, 2);
    const entries = await payroll.list(`/assignments/${id}/history`);
    assert.deepEqual(entries.find(({ action }) => action === 'proposal')?.overridden, ['out_of_range']);
  });

  it('wages of an assignment that is no longer booked keep their amount, and can be disabled and deleted', async () => {
    const id = await payroll.assignment();
    const wage = await payroll.post('assignment-wages', { assignment_id: id, base_value: 10 });
    await payroll.staffing.setStatus(id, 5);
    assertErrors(await payroll.put(`/assignment-wages/${wage}`, { factor: 2 }), 'invalid_transition assignment_id');
    assert.equal((await payroll.put(`/assignment-wages/${wage}`, { is_disabled: 1 })).body.is_disabled, 1);
    assert.equal((await client.call('DELETE', `/assignment-wages/${wage}`)).status, 204);
  });

  it('signed work is of assignments in 6 or 7 and of these seven days, unless force is given', async () => {
    const event = await site.event({ start, end });
    const [booked, invited] = [await site.assignment(event), await site.assignment(event, 5)];
    const items = [
      { assignment_id: booked, work_times: [nextYear] },
      { assignment_id: invited, work_times: [{ start, end }] },
    ];
    const range = ['out_of_range items.0.work_times.0.start', 'out_of_range items.0.work_times.0.end'];
    assertErrors(await site.sign(items), ...range, 'invalid_transition items.1.assignment_id');
    assertErrors(await site.sign(items, {}, '?force=true'), 'invalid_transition items.1.assignment_id');
    assert.equal((await site.sign(items.slice(0, 1), {}, '?force=true')).status, 200);
    const [{ overridden }] = (await payroll.list(`/assignments/${booked}/history`)).slice(-1);
    assert.deepEqual(overridden, ['out_of_range']);
    assert.equal((await site.rows('work-time-proposals', booked)).length, 1);
  });
});
