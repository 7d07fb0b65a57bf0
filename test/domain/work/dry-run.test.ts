import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { end, Payroll, start } from './scene.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);

  describe('a dry run', () => {
    it('of every write of work and pay responds as the write would, and stores nothing', async () => {
      const id = await payroll.assignment();
      const work = await payroll.work(id);
      const proposal = await payroll.propose(id, { start: end, end: '2026-06-13T03:00:00Z' });
      const asked = await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 5, value: 1 });
      const [approved, other] = [await payroll.assignment(), await payroll.assignment()];
      for (const assignment of [approved, other]) {
        await payroll.work(assignment);
        assert.equal((await payroll.approve(assignment)).status, 200);
      }
      const paysheet = await payroll.post('paysheets', {
        assignment_id: approved,
        period_start: '2026-06-01',
        period_end: '2026-06-30',
      });
      const profile = await payroll.profile();
      const [wage] = await payroll.list(`/assignment-wages?assignment_id=${id}`);
      const approved_by_planner_id = await payroll.staffing.planner();
      const resources = [
        'work-times',
        'work-time-proposals',
        'wage-proposals',
        'assignment-wages',
        'paysheets',
        'wage-profiles',
        'assignments',
        `assignments/${id}/history`,
      ];
      const stored = () => Promise.all(resources.map(path => payroll.list(`/${path}`)));
      const before = await stored();
      const writes: [method: string, path: string, body: object | undefined, status: number][] = [
        ['POST', '/work-times', { event_function_employee_id: id, start, end }, 201],
        ['PUT', `/work-times/${work}`, { end: '2026-06-13T00:00:00Z' }, 200],
        ['DELETE', `/work-times/${work}`, undefined, 204],
        ['POST', '/work-time-proposals', { assignment_id: id, start, end }, 201],
        ['PUT', `/work-time-proposals/${proposal}`, { status: 2 }, 200],
        ['PUT', `/work-time-proposals/${proposal}`, { end: start }, 422],
        ['DELETE', `/work-time-proposals/${proposal}`, undefined, 204],
        ['POST', '/wage-proposals', { assignment_id: id, wage_type_id: 5, value: 1 }, 201],
        ['PUT', `/wage-proposals/${asked}`, { status: 2 }, 200],
        ['DELETE', `/wage-proposals/${asked}`, undefined, 204],
        ['POST', '/assignment-wages', { assignment_id: id, payable_amount: 1 }, 201],
        ['PUT', `/assignment-wages/${wage.id}`, { factor: 1 }, 200],
        ['DELETE', `/assignment-wages/${wage.id}`, undefined, 204],
        ['PUT', `/paysheets/${paysheet}`, { status: 2 }, 200],
        ['DELETE', `/paysheets/${paysheet}`, undefined, 204],
        ['POST', '/paysheets', { assignment_id: other, period_start: '2026-06-01', period_end: '2026-06-30' }, 201],
        ['POST', '/wage-profiles', { name: 'Other' }, 201],
        ['PUT', `/wage-profiles/${profile}`, { wage_types: [] }, 200],
        ['DELETE', `/wage-profiles/${profile}`, undefined, 204],
        ['PUT', `/assignments/${id}/approve`, { approved_by_planner_id }, 200],
        ['PUT', `/assignments/${id}/pay`, { paid_on: start }, 422],
      ];
      for (const [method, path, body, status] of writes) {
        const response = await payroll.client.call(method, `${path}?dry_run=true`, body && { body });
        assert.equal(response.status, status, `${method} ${path}: ${response.text}`);
        assert.deepEqual(await stored(), before, `${method} ${path}`);
      }
      const rehearsed = await payroll.approve(id, '?dry_run=true');
      assert.equal(rehearsed.body.pay_amount, (await payroll.approve(id)).body.pay_amount);
      const paid = await payroll.put(`/assignments/${id}/pay?dry_run=true`, { paid_on: start });
      assert.equal(paid.body.paid_on, start);
      assert.equal((await payroll.list(`/assignments?id=${id}`))[0].paid_on, null);
    });
  });
});
