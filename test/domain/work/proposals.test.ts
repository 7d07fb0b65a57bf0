import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachApp } from '../../support/for-each-app.ts';
import { assertErrors, errorsOf } from '../staffing/scene.ts';
import { end, Payroll, start } from './scene.ts';

forEachApp(client => {
  const payroll = new Payroll(client);

  const worksOf = (id: number) => payroll.list(`/work-times?event_function_employee_id=${id}`);
  const decide = (proposal: number, body: object) => payroll.put(`/work-time-proposals/${proposal}`, body);

  describe('a work time proposal', () => {
    const wrong: readonly [says: string, times: object, want: string[][]][] = [
      ['ends before it starts', { end: '2026-06-12T15:00:00Z' }, [['end_before_start', 'end']]],
      ['lasts longer than a day', { end: '2026-06-13T16:00:01Z' }, [['out_of_range', 'end']]],
      [
        'has a break before the work',
        { break_start: '2026-06-12T15:00:00Z', break_end: '2026-06-12T15:30:00Z' },
        [['end_before_start', 'break_start']],
      ],
      [
        'has a break after the work',
        { break_start: '2026-06-13T02:00:00Z', break_end: '2026-06-13T02:30:00Z' },
        [
          ['out_of_range', 'break_start'],
          ['out_of_range', 'break_end'],
        ],
      ],
      [
        'has a break that outlasts the work',
        { break_start: '2026-06-13T00:30:00Z', break_end: '2026-06-13T01:30:00Z' },
        [['out_of_range', 'break_end']],
      ],
      [
        'has a break that ends before it starts',
        { break_start: '2026-06-12T20:00:00Z', break_end: '2026-06-12T19:30:00Z' },
        [['end_before_start', 'break_end']],
      ],
      ['has a break without an end', { break_start: '2026-06-12T20:00:00Z' }, [['not_empty', 'break_end']]],
      ['has a break without a start', { break_end: '2026-06-12T20:00:00Z' }, [['not_empty', 'break_start']]],
    ];
    for (const [says, times, want] of wrong) {
      it(`is refused if it ${says}, as is such a work time`, async () => {
        const id = await payroll.assignment();
        const post = (path: string, body: object) =>
          payroll.client.call('POST', path, { body: { start, end, ...body, ...times } });
        assert.deepEqual(errorsOf(await post('/work-time-proposals', { assignment_id: id })), want);
        assert.deepEqual(errorsOf(await post('/work-times', { event_function_employee_id: id })), want);
      });
    }

    it('is accepted with the times that the same change gives it', async () => {
      const id = await payroll.assignment();
      assert.equal((await decide(await payroll.propose(id), { status: 2, end: '2026-06-13T00:00:00Z' })).status, 200);
      assert.deepEqual(
        (await worksOf(id)).map(work => [work.end, work.minutes]),
        [['2026-06-13T00:00:00Z', 480]],
      );
    });

    it('is accepted at once if it comes so', async () => {
      const id = await payroll.assignment();
      const proposal = await payroll.propose(id, { status: 2 });
      assert.equal((await worksOf(id)).length, 1);
      assert.notEqual((await payroll.list(`/work-time-proposals?id=${proposal}`))[0].decided_at, null);
    });

    it('makes no work if it is rejected', async () => {
      const id = await payroll.assignment();
      const answer = await decide(await payroll.propose(id), { status: 3 });
      assert.notEqual(answer.body.decided_at, null);
      assert.deepEqual(await worksOf(id), []);
    });

    it('is decided once, and its times stay', async () => {
      for (const [decision, others] of [
        [2, [1, 3]],
        [3, [1, 2]],
      ] as const) {
        const id = await payroll.assignment();
        const proposal = await payroll.propose(id);
        const decided = await decide(proposal, { status: decision });
        const works = await worksOf(id);
        for (const status of others) assertErrors(await decide(proposal, { status }), 'invalid_transition status');
        assertErrors(await decide(proposal, { end: '2026-06-13T00:00:00Z' }), 'read_only end');
        assert.equal((await decide(proposal, decided.body)).status, 200);
        const noted = await decide(proposal, { remarks: 'By telephone', status: decision });
        assert.deepEqual([noted.body.remarks, noted.body.decided_at], ['By telephone', decided.body.decided_at]);
        assert.deepEqual(await worksOf(id), works);
      }
    });

    it('is not accepted over approved work of the employee, wherever that was, and is over other work', async () => {
      const employee = await payroll.staffing.employee();
      const [first, second] = [await payroll.assignment({ employee }), await payroll.assignment({ employee })];
      const work = await payroll.work(first, { is_approved: 1 });
      const proposal = await payroll.propose(second);
      const refused = await payroll.accept(proposal);
      assertErrors(refused, 'overlapping_work_time status');
      assert.deepEqual(refused.body.errors[0].conflicts, [{ work_time_id: work, assignment_id: first, start, end }]);
      assert.deepEqual(await worksOf(second), []);
      assert.equal(
        (await payroll.accept(await payroll.propose(second, { start: end, end: '2026-06-13T02:00:00Z' }))).status,
        200,
      );
      assert.equal((await payroll.put(`/work-times/${work}`, { is_approved: 0 })).status, 200);
      assert.equal((await payroll.accept(proposal)).status, 200);
      assertErrors(await payroll.put(`/work-times/${work}`, { is_approved: 1 }), 'overlapping_work_time start');
    });
  });

  describe('a wage proposal', () => {
    const ask = (assignment_id: number, more: object = {}) =>
      payroll.client.call('POST', '/wage-proposals', { body: { assignment_id, wage_type_id: 5, value: 3, ...more } });

    it('makes a wage of its wage type once it is accepted', async () => {
      const id = await payroll.assignment();
      const { body: proposal } = await ask(id, { value: 1.5 });
      assert.deepEqual([proposal['wage_type.name'], proposal.amount, proposal.unit], ['Carrying', 3.75, 'piece']);
      assert.deepEqual(await payroll.wages(id), []);
      const accepted = await payroll.put(`/wage-proposals/${proposal.id}`, { status: 2 });
      assert.notEqual(accepted.body.decided_at, null, accepted.text);
      assert.deepEqual(await payroll.wages(id), [['Carrying', 2.5, 1.5, 3.75]]);
      assertErrors(await payroll.put(`/wage-proposals/${proposal.id}`, { status: 3 }), 'invalid_transition status');
      assertErrors(await payroll.put(`/wage-proposals/${proposal.id}`, { value: 9 }), 'read_only value');
    });

    it('shows the amount with the factor of the wage type, to the cent as it is paid', async () => {
      const { body } = await ask(await payroll.assignment(), { wage_type_id: 2, value: 0.1 });
      assert.equal(body.amount, 0.36);
    });

    it('is the amount itself where its wage type has no value, and is paid with the approval', async () => {
      const profile = await payroll.profile([
        { id: 7, name: 'Expenses', type: '4' },
        { id: 8, name: 'Other expenses', type: '4', value: null, factor: 0.5 },
      ]);
      const id = await payroll.assignment({ profile });
      for (const wage_type_id of [7, 8]) {
        const { body } = await ask(id, { wage_type_id, value: 12.35 });
        assert.equal(body.amount, 12.35);
        assert.equal((await payroll.put(`/wage-proposals/${body.id}`, { status: 2 })).status, 200);
      }
      assert.deepEqual(await payroll.wages(id), [
        ['Expenses', 1, 12.35, 12.35],
        ['Other expenses', 1, 12.35, 12.35],
      ]);
      assert.equal((await payroll.approve(id)).body.pay_amount, 24.7);
    });

    it('makes none if it is rejected', async () => {
      const id = await payroll.assignment();
      const { body } = await ask(id);
      assert.notEqual((await payroll.put(`/wage-proposals/${body.id}`, { status: 3 })).body.decided_at, null);
      assert.deepEqual(await payroll.wages(id), []);
    });

    it('needs a wage type of a wage profile that holds', async () => {
      assertErrors(await ask(await payroll.assignment(), { wage_type_id: 9 }), 'reference_not_found wage_type_id');
      assertErrors(await ask(await payroll.assignment({ profile: null })), 'wage_profile_missing wage_type_id');
    });
  });
});
