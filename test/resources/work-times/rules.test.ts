import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { end, Payroll } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);

  describe('a work time', () => {
    it('tells its minutes and those of its break', async () => {
      const id = await payroll.assignment();
      const pause = { break_start: '2026-06-12T19:00:00Z', break_end: '2026-06-12T19:45:00Z' };
      await payroll.work(id, pause);
      const [work] = await payroll.list(`/work-times?event_function_employee_id=${id}`);
      assert.deepEqual([work.minutes, work.break_minutes], [495, 45]);
    });

    it('tells since when it is approved, and is not once it no longer is', async () => {
      const work = await payroll.work(await payroll.assignment(), { is_approved: 1 });
      assert.notEqual((await payroll.list(`/work-times?id=${work}`))[0].approved_on, null);
      assert.equal((await payroll.put(`/work-times/${work}`, { is_approved: 0 })).body.approved_on, null);
    });

    it('that is approved never moves over another approved one of the employee, but may touch it', async () => {
      const employee = await payroll.staffing.employee();
      const [first, second] = [await payroll.assignment({ employee }), await payroll.assignment({ employee })];
      await payroll.work(first, { is_approved: 1 });
      const work = await payroll.work(second, { is_approved: 1, start: end, end: '2026-06-13T03:00:00Z' });
      const early = await payroll.put(`/work-times/${work}`, { start: '2026-06-13T00:59:00Z' });
      assertErrors(early, 'overlapping_work_time start');
      assert.equal((await payroll.put(`/work-times/${work}`, { end: '2026-06-13T04:00:00Z' })).status, 200);
      const elsewhere = await payroll.assignment();
      assert.equal(typeof (await payroll.work(elsewhere, { is_approved: 1 })), 'number');
    });
  });
});
