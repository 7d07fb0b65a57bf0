import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { Payroll } from '../work/scene.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);

  const overriddenOf = async (id: number): Promise<string[]> =>
    (await payroll.list(`/assignments/${id}/history`)).find(({ action }) => action === 'approval').overridden;

  /** An assignment with an edited wage, whose work is then moved or deleted. */
  const edited = async (change: (work: number) => Promise<unknown>) => {
    const id = await payroll.assignment();
    const work = await payroll.work(id);
    const [base] = await payroll.list(`/assignment-wages?assignment_id=${id}&sort=id`);
    await payroll.put(`/assignment-wages/${base.id}`, { factor: 8 });
    await change(work);
    return { id, wage: base.id };
  };

  describe('approving edited wages', () => {
    it('whose work is gone or other than when they were edited is doubted; force is recorded', async () => {
      const changes: [change: (work: number) => Promise<unknown>, pay: number][] = [
        [work => client.call('DELETE', `/work-times/${work}`), 116],
        [work => payroll.put(`/work-times/${work}`, { end: '2026-06-13T02:00:00Z' }), 116 + 18.13 + 12.3],
      ];
      for (const [change, pay] of changes) {
        const { id, wage } = await edited(change);
        const rejected = await payroll.approve(id);
        assertErrors(rejected, 'wage_invalid approved_by_planner_id');
        assert.deepEqual(rejected.body.errors[0].wage_ids, [wage]);
        assert.equal((await payroll.approve(id, '?force=true')).body.pay_amount, pay);
        assert.deepEqual(await overriddenOf(id), ['wage_invalid']);
      }
    });

    it('is not doubted once they are edited again or disabled', async () => {
      const first = await edited(work => payroll.put(`/work-times/${work}`, { end: '2026-06-13T02:00:00Z' }));
      await payroll.put(`/assignment-wages/${first.wage}`, { factor: 8.5 });
      assert.equal((await payroll.approve(first.id)).status, 200);
      const second = await edited(work => payroll.put(`/work-times/${work}`, { end: '2026-06-13T02:00:00Z' }));
      await payroll.put(`/assignment-wages/${second.wage}`, { is_disabled: 1 });
      assert.equal((await payroll.approve(second.id)).status, 200);
      assert.deepEqual(await overriddenOf(second.id), []);
    });
  });
});
