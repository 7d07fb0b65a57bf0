import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PayRuns, paid_on, period } from '../../domain/pay/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const payroll = new PayRuns(client);
  const lines = [
    { name: 'Hours', amount: 10.1 },
    { name: 'Night', amount: 0.2 },
  ];

  const create = (assignment_id: number, more: object = {}) =>
    client.call('POST', '/paysheets', { body: { assignment_id, ...period, lines, ...more } });

  describe('a paysheet made by hand', () => {
    it('tells the sum of its lines', async () => {
      const { id } = (await create(await payroll.approved())).body;
      assert.equal((await payroll.list(`/paysheets?id=${id}`))[0].total, 10.3);
      assert.equal((await payroll.put(`/paysheets/${id}`, { lines: lines.slice(1) })).body.total, 0.2);
    });

    it('names its lines if their sum is out of range', async () => {
      const most = [1, 2].map(amount => ({ name: 'Hours', amount: 9_999_999_997 + amount }));
      const id = await payroll.approved();
      assertErrors(await create(id, { lines: most }), 'out_of_range lines');
      const sheet = await create(id, { lines: [] });
      assertErrors(await payroll.put(`/paysheets/${sheet.body.id}`, { lines: most }), 'out_of_range lines');
    });

    it('needs an approved assignment without another paysheet, and is on no pay run', async () => {
      const id = await payroll.assignment();
      await payroll.work(id);
      assertErrors(await create(id), 'not_approved assignment_id');
      await payroll.approve(id);
      const first = await create(id);
      assert.deepEqual([first.status, first.body.pay_run_id], [201, null], first.text);
      const second = await create(id);
      assertErrors(second, 'not_unique assignment_id');
      assert.ok(second.body.errors[0].message.includes(String(first.body.id)), second.text);
      assertErrors(await create(await payroll.approved(), { pay_run_id: 1 }), 'read_only pay_run_id');
    });

    it('is paid at some time, or not paid at all', async () => {
      const { id } = (await create(await payroll.approved())).body;
      const put = (body: object) => payroll.put(`/paysheets/${id}`, body);
      assertErrors(await put({ status: 3 }), 'not_empty paid_on');
      assertErrors(await put({ paid_on }), 'invalid_transition status');
      assert.equal((await put({ status: 3, paid_on })).body.paid_on, paid_on);
      assertErrors(await put({ lines: [] }), 'read_only lines');
      assertErrors(await put({ status: 2 }), 'invalid_transition status');
      const rejected = await client.call('DELETE', `/paysheets/${id}`);
      assert.deepEqual([rejected.status, rejected.body.code], [409, 'assignment_paid'], rejected.text);
      assert.equal((await put({ status: 2, paid_on: null })).status, 200);
      assert.equal((await put({ lines: [] })).body.total, 0);
      assert.equal((await client.call('DELETE', `/paysheets/${id}`)).status, 204);
    });

    it('is paid together with its assignment, from either side', async () => {
      const assignment = await payroll.approved();
      const { id } = (await create(assignment)).body;
      const paid = async () => {
        const [sheet] = await payroll.list(`/paysheets?id=${id}`);
        return [sheet.status, sheet.paid_on, await payroll.paidOn(assignment)];
      };
      const put = (body: object) => payroll.put(`/paysheets/${id}`, body);
      await put({ status: 3, paid_on });
      assert.deepEqual(await paid(), [3, paid_on, paid_on]);
      await put({ status: 1, paid_on: null });
      assert.deepEqual(await paid(), [1, null, null]);
      await payroll.pay(assignment);
      assert.deepEqual(await paid(), [3, paid_on, paid_on]);
      await payroll.put(`/assignments/${assignment}/pay`, { paid_on: null });
      assert.deepEqual(await paid(), [2, null, null]);
      const history = await payroll.list(`/assignments/${assignment}/history`);
      assert.equal(history.filter(({ action }) => action === 'payment').length, 4);
    });

    it('of a paid assignment is made as paid only', async () => {
      const assignment = await payroll.approved();
      await payroll.pay(assignment);
      assertErrors(await create(assignment), 'assignment_paid assignment_id');
      const later = '2026-07-02T10:00:00Z';
      assert.equal((await create(assignment, { status: 3, paid_on: later })).status, 201);
      assert.equal(await payroll.paidOn(assignment), later);
    });

    it('keeps the approval of its assignment until it is deleted', async () => {
      const assignment = await payroll.approved();
      const { id } = (await create(assignment)).body;
      const rejected = await payroll.withdraw(assignment);
      assert.deepEqual([rejected.status, rejected.body.code], [409, 'still_referenced'], rejected.text);
      assert.ok(rejected.body.message.includes(String(id)), rejected.text);
      await payroll.pay(assignment);
      assertErrors(await payroll.withdraw(assignment), 'assignment_paid approved_by_planner_id');
      await payroll.put(`/assignments/${assignment}/pay`, { paid_on: null });
      assert.equal((await client.call('DELETE', `/paysheets/${id}`)).status, 204);
      assert.equal((await payroll.withdraw(assignment)).status, 200);
    });
  });
});
