import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { Payroll } from '../../domain/work/scene.ts';
import { forEachApp } from '../../support/for-each-app.ts';

forEachApp(client => {
  const payroll = new Payroll(client);

  describe('a paysheet', () => {
    const period = { period_start: '2026-06-01', period_end: '2026-06-30' };
    const lines = [
      { name: 'Hours', amount: 10.1 },
      { name: 'Night', amount: 0.2 },
    ];

    it('tells the sum of its lines', async () => {
      const id = await payroll.post('paysheets', { assignment_id: await payroll.assignment(), ...period, lines });
      assert.equal((await payroll.list(`/paysheets?id=${id}`))[0].total, 10.3);
      assert.equal((await payroll.put(`/paysheets/${id}`, { lines: lines.slice(1) })).body.total, 0.2);
    });

    it('is paid at some time, or not paid at all', async () => {
      const id = await payroll.post('paysheets', { assignment_id: await payroll.assignment(), ...period, lines });
      const put = (body: object) => payroll.put(`/paysheets/${id}`, body);
      const paid_on = '2026-07-01T10:00:00Z';
      assertErrors(await put({ status: 3 }), 'not_empty paid_on');
      assertErrors(await put({ paid_on }), 'invalid_transition status');
      assert.equal((await put({ status: 3, paid_on })).body.paid_on, paid_on);
      assertErrors(await put({ lines: [] }), 'read_only lines');
      assertErrors(await put({ status: 2 }), 'invalid_transition status');
      assert.equal((await put({ status: 2, paid_on: null })).status, 200);
      assert.equal((await put({ lines: [] })).body.total, 0);
    });
  });
});
