import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { Payroll } from './scene.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);

  it('a proposal is accepted, the work approved and paid, and nothing moves any more', async () => {
    const id = await payroll.assignment();
    const proposal = await payroll.propose(id, {
      break_start: '2026-06-12T19:00:00Z',
      break_end: '2026-06-12T19:30:00Z',
    });
    assert.deepEqual(await payroll.list(`/work-times?event_function_employee_id=${id}`), []);

    const accepted = await payroll.accept(proposal);
    assert.equal(accepted.status, 200, accepted.text);
    assert.equal(accepted.body.status, 2);
    assert.notEqual(accepted.body.decided_at, null);
    const [work, ...more] = await payroll.list(`/work-times?event_function_employee_id=${id}`);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [
        work.start,
        work.end,
        work.break_start,
        work.break_end,
        work.minutes,
        work.break_minutes,
        work.source,
        work.is_approved,
      ],
      ['2026-06-12T16:00:00Z', '2026-06-13T01:00:00Z', '2026-06-12T19:00:00Z', '2026-06-12T19:30:00Z', 510, 30, 2, 1],
    );
    assert.deepEqual(await payroll.wages(id), [
      ['Base hour', 14.5, 8.5, 123.25],
      ['Night', 3.625, 4, 14.5],
      ['Fare', 12.3, 1, 12.3],
    ]);

    const approved = await payroll.approve(id);
    assert.equal(approved.status, 200, approved.text);
    assert.deepEqual([approved.body.is_approved, approved.body.pay_amount], [1, 150.05]);
    assert.notEqual(approved.body.approved_on, null);
    assertErrors(
      await payroll.put(`/work-times/${work.id}`, { end: '2026-06-13T02:00:00Z' }),
      'assignment_approved event_function_employee_id',
    );

    const paid = await payroll.pay(id);
    assert.equal(paid.body.paid_on, '2026-07-01T10:00:00Z', paid.text);
    assertErrors(await payroll.withdraw(id), 'assignment_paid approved_by_planner_id');
    assertErrors(
      await payroll.put(`/work-times/${work.id}`, { end: '2026-06-13T02:00:00Z' }),
      'assignment_paid event_function_employee_id',
    );
    const history = await payroll.list(`/assignments/${id}/history`);
    assert.deepEqual(
      history.map(({ action }) => action),
      ['created', 'proposal', 'approval', 'payment'],
    );
    assert.deepEqual(history[1].data, { work_time_proposal_id: proposal, status: 2 });
    assert.equal(history[2].data.pay_amount, 150.05);
  });
});
