import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors, errorsOf } from '../../domain/staffing/scene.ts';
import { end, Payroll, start } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
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
      const response = await decide(await payroll.propose(id), { status: 3 });
      assert.notEqual(response.body.decided_at, null);
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

    it('cannot be deleted once it is accepted, before and after its work time', async () => {
      const id = await payroll.assignment();
      const path = `/work-time-proposals/${await payroll.propose(id)}`;
      const open = `/work-time-proposals/${await payroll.propose(id)}`;
      assert.equal((await payroll.client.call('DELETE', open)).status, 204);
      await payroll.put(path, { status: 2 });
      for (const _ of [1, 2]) {
        const removed = await payroll.client.call('DELETE', path);
        assert.deepEqual([removed.status, removed.body.code], [409, 'still_referenced'], removed.text);
        for (const work of await worksOf(id)) await payroll.client.call('DELETE', `/work-times/${work.id}`);
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
});
