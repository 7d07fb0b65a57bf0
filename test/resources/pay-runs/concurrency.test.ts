import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PayRuns, paid_on, period } from '../../domain/pay/scene.ts';
import { insist } from '../../domain/staffing/scene.ts';
import type { ApiResponse } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';

const rounds = [1, 2, 3];
const crowd = Array.from({ length: 8 }, (_, index) => index);

forEachApp(client => {
  const payroll = new PayRuns(client);

  const approvedOf = (profile: number, count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, () => payroll.approved({ profile })));

  const expected = (responses: readonly ApiResponse[], ...statuses: readonly number[]): void => {
    for (const { status, text } of responses) assert.ok(statuses.includes(status), text);
  };

  describe('at once', () => {
    it('eight pay runs of one period hold each assignment once', async () => {
      for (const _round of rounds) {
        const profile = await payroll.profile();
        const ids = await approvedOf(profile, 6);
        const runs = await Promise.all(crowd.map(() => insist(() => payroll.create({ wage_profile_id: profile }))));
        expected(runs, 201);
        const held = await Promise.all(runs.map(({ body }) => payroll.held(body.id)));
        assert.deepEqual(
          held.flat().sort((a, b) => a - b),
          ids.toSorted((a, b) => a - b),
        );
        for (const [index, { body }] of runs.entries()) assert.equal(body.paysheet_count, held[index]?.length);
      }
    });

    it('a pay run, withdrawals, payments and paysheets by hand leave each assignment to one of them', async () => {
      for (const _round of rounds) {
        const profile = await payroll.profile();
        const ids = await approvedOf(profile, 9);
        const others = [
          (id: number) => payroll.withdraw(id),
          (id: number) => payroll.pay(id),
          (id: number) => client.call('POST', '/paysheets', { body: { assignment_id: id, ...period } }),
        ];
        const [made, ...rest] = await Promise.all([
          insist(() => payroll.create({ wage_profile_id: profile })),
          ...ids.map((id, index) => insist(() => others[index % 3]?.(id) as Promise<ApiResponse>)),
        ]);
        expected([made as ApiResponse], 201);
        const held = new Set(await payroll.held(made?.body.id));
        for (const [index, id] of ids.entries()) {
          const { status } = rest[index] as ApiResponse;
          assert.equal(status === 422, held.has(id), `${id}: ${rest[index]?.text}`);
          const [{ is_approved, paid_on: paid }] = await payroll.list(`/assignments?id=${id}`);
          if (held.has(id)) assert.deepEqual([is_approved, paid], [1, null]);
        }
        assert.equal(made?.body.paysheet_count, held.size);
      }
    });

    it('the payment, the withdrawal and the removal of a pay run leave it and its assignments in one state', async () => {
      for (const _round of rounds) {
        const profile = await payroll.profile();
        const ids = await approvedOf(profile, 4);
        const run = await payroll.run(profile);
        await payroll.setRun(run, { status: 2 });
        const requests = [
          () => payroll.setRun(run, { status: 3, paid_on }),
          () => payroll.setRun(run, { status: 1 }),
          () => payroll.setRun(run, { status: 2 }),
          () => payroll.remove(run),
          ...ids.map(id => () => payroll.pay(id)),
        ];
        expected(await Promise.all(requests.map(insist)), 200, 204, 404, 409, 422);
        const [left] = await payroll.list(`/pay-runs?id=${run}`);
        const sheets = await payroll.list(`/paysheets?pay_run_id=${run}`);
        assert.equal(sheets.length, left ? ids.length : 0);
        for (const sheet of sheets) {
          assert.deepEqual([sheet.status, sheet.paid_on], [left.status, left.paid_on]);
          assert.equal(await payroll.paidOn(sheet.assignment_id), left.paid_on);
        }
      }
    });
  });
});
