import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PayRuns, paid_on } from '../../domain/pay/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp((client, app) => {
  const payroll = new PayRuns(client);

  describe('a pay run', () => {
    it('has one paysheet for each assignment that is approved, not paid and without a paysheet', async () => {
      const profile = await payroll.profile();
      const [first, second, paid, known] = [
        await payroll.approved({ profile }),
        await payroll.approved({ profile }),
        await payroll.approved({ profile }),
        await payroll.approved({ profile }),
      ];
      await payroll.work(await payroll.assignment({ profile }));
      await payroll.pay(paid);
      const lines = [{ name: 'By hand', amount: 5 }];
      const byHand = { period_start: '2026-06-12', period_end: '2026-06-12', lines };
      await payroll.post('paysheets', { assignment_id: known, ...byHand });
      const { body: run, headers } = await payroll.create({ wage_profile_id: profile });
      assert.deepEqual(await payroll.held(run.id), [first, second]);
      assert.equal(headers.location, `/api/v1/pay-runs/${run.id}`);
      const { status, paysheet_count, totals, total } = run;
      assert.deepEqual(
        { status, paysheet_count, totals, total },
        { status: 1, paysheet_count: 2, totals: [{ currency: 'EUR', amount: 314.6 }], total: 314.6 },
      );
      const [sheet] = await payroll.list(`/paysheets?assignment_id=${first}`);
      assert.equal(sheet.total, 157.3);
      assert.deepEqual(
        sheet.lines.map(({ name, quantity, unit, rate, amount }: Record<string, unknown>) => [
          name,
          quantity,
          unit,
          rate,
          amount,
        ]),
        [
          ['Base hour', 9, 'hour', 14.5, 130.5],
          ['Night', 4, 'hour', 14.5, 14.5],
          ['Fare', 1, 'assignment', 12.3, 12.3],
        ],
      );
      assert.deepEqual(
        [sheet.status, sheet.period_start, sheet.period_end, sheet.wage_profile_id, sheet.currency],
        [1, '2026-06-01', '2026-06-30', profile, 'EUR'],
      );
    });

    it('dates its lines, and pays public holidays, by the days of its period, whatever the database knows of the time zone', async () => {
      // In 2026 the clocks of Alberta have stopped to change, which not every Postgres knows.
      const timeZone = 'America/Edmonton';
      const [start, end] = ['2027-01-15T06:30:00Z', '2027-01-15T06:55:00Z'] as const;
      const day = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(start));
      const own = new PayRuns(await app.newClient({ timeZone }));
      await own.post('public-holidays', { date: day, name: 'Day' });
      const windows = [{ holidays: 1 }];
      const profile = await own.profile([{ id: 1, name: 'Holiday', unit: 'hour', value: 12, windows }]);
      await own.approved({ profile, times: [start, end] });
      const { body: run } = await own.create({ period_start: day, period_end: day });
      const lines = await own.list(`/pay-runs/${run.id}/lines?fields=date,amount`);
      assert.deepEqual(lines, [{ date: day, amount: 5 }]);
    });

    it('takes the work that starts on the days of its period in the time zone of the tenant, both inclusive', async () => {
      const profile = await payroll.profile();
      const days: [start: string, end: string, isIn: boolean][] = [
        ['2026-05-31T21:59:59Z', '2026-06-01T04:00:00Z', false],
        ['2026-05-31T22:00:00Z', '2026-06-01T04:00:00Z', true],
        ['2026-06-30T21:59:59Z', '2026-07-01T04:00:00Z', true],
        ['2026-06-30T22:00:00Z', '2026-07-01T04:00:00Z', false],
      ];
      const ids = [];
      for (const [start, end] of days) ids.push(await payroll.approved({ profile, times: [start, end] }));
      // The work counts, not the plan; without work, the plan.
      const moved = await payroll.assignment({ profile, times: ['2026-05-31T20:00:00Z', '2026-06-01T04:00:00Z'] });
      await payroll.work(moved, { start: '2026-05-31T22:00:00Z', end: '2026-06-01T04:00:00Z' });
      const planned = await payroll.assignment({ profile });
      await payroll.post('assignment-wages', { assignment_id: planned, payable_amount: 5 });
      for (const id of [moved, planned]) assert.equal((await payroll.approve(id)).status, 200);
      const within = ids.filter((_, index) => days[index]?.[2]);
      assert.deepEqual(await payroll.held(await payroll.run(profile)), [...within, moved, planned]);
      const [line] = await payroll.list(`/paysheets?assignment_id=${planned}&fields=lines`);
      assert.deepEqual(
        line.lines.map(({ amount }: { amount: number }) => amount),
        [5],
      );
    });

    it('that finds nothing is empty, and without a wage profile takes all', async () => {
      const other = new PayRuns(await app.newClient());
      const empty = (await other.create()).body;
      assert.deepEqual([empty.paysheet_count, empty.totals, empty.total], [0, [], 0]);
      const ids = [await other.approved(), await other.approved()];
      const ever = await other.create({ period_start: '1900-01-01', period_end: '9999-12-31' }, '?dry_run=1');
      assert.deepEqual([ever.status, ever.body.paysheet_count], [201, 2]);
      assert.deepEqual(await other.held((await other.create()).body.id), ids);
    });

    it('has a total for each currency, and none of several', async () => {
      const other = new PayRuns(await app.newClient());
      const wage_types = [{ id: 1, name: 'Hours', value: 10 }];
      const swiss = await other.post('wage-profiles', { name: 'CH', currency: 'CHF', wage_types });
      await other.approved({ profile: swiss });
      await other.approved();
      const { totals, total, paysheet_count } = (await other.create()).body;
      assert.deepEqual([paysheet_count, total], [2, null]);
      assert.deepEqual(totals, [
        { currency: 'CHF', amount: 90 },
        { currency: 'EUR', amount: 157.3 },
      ]);
    });

    it('names its total if it is out of range', async () => {
      const profile = await payroll.profile();
      for (const payable_amount of [9_999_999_000, 9_999_999_000]) {
        const id = await payroll.assignment({ profile });
        await payroll.post('assignment-wages', { assignment_id: id, payable_amount });
        await payroll.approve(id);
      }
      assertErrors(await payroll.create({ wage_profile_id: profile }), 'out_of_range total');
    });

    it('with dry_run shows what it would hold, and holds nothing', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      const rehearsed = await payroll.create({ wage_profile_id: profile }, '?dry_run=true');
      assert.deepEqual([rehearsed.status, rehearsed.body.paysheet_count, rehearsed.body.total], [201, 1, 157.3]);
      assert.deepEqual(await payroll.list(`/paysheets?assignment_id=${id}`), []);
      assert.deepEqual(await payroll.list(`/pay-runs?wage_profile_id=${profile}`), []);
    });

    it('sets and removes the payment of all its assignments, which is in their history', async () => {
      const profile = await payroll.profile();
      const ids = [await payroll.approved({ profile }), await payroll.approved({ profile })];
      const run = await payroll.run(profile);
      await payroll.payRun(run);
      for (const id of ids) assert.equal(await payroll.paidOn(id), paid_on);
      const sheets = () => payroll.list(`/paysheets?pay_run_id=${run}`);
      assert.deepEqual(
        (await sheets()).map(sheet => [sheet.status, sheet.paid_on]),
        ids.map(() => [3, paid_on]),
      );
      const again = await payroll.setRun(run, { ...(await payroll.list(`/pay-runs?id=${run}`))[0], status: 2 });
      assert.deepEqual([again.status, again.body.status, again.body.paid_on], [200, 2, null]);
      for (const id of ids) {
        assert.equal(await payroll.paidOn(id), null);
        const history = await payroll.list(`/assignments/${id}/history`);
        assert.deepEqual(
          history.filter(({ action }) => action === 'payment').map(({ data }) => data),
          [{ paid_on }, { paid_on: null }],
        );
      }
      assert.deepEqual(
        (await sheets()).map(sheet => [sheet.status, sheet.paid_on]),
        ids.map(() => [2, null]),
      );
    });

    it('changes its status only from open to approved to paid, and back', async () => {
      const run = await payroll.run(await payroll.profile());
      const put = (body: object) => payroll.setRun(run, body);
      const wrong = 'invalid_transition status';
      assertErrors(await payroll.create({ status: 2 }), wrong);
      assertErrors(await payroll.create({ status: 3, paid_on }), wrong);
      assertErrors(await payroll.create({ paid_on }), wrong);
      assertErrors(await put({ status: 3, paid_on }), wrong);
      assertErrors(await put({ paid_on }), wrong);
      assert.equal((await put({ status: 2 })).status, 200);
      assert.equal((await put({ status: 1 })).status, 200);
      assert.equal((await put({ status: 2 })).status, 200);
      assertErrors(await put({ status: 3 }), 'not_empty paid_on');
      assert.equal((await put({ status: 3, paid_on })).body.paid_on, paid_on);
      assertErrors(await put({ status: 1 }), wrong);
      assertErrors(await put({ paid_on: null }), 'not_empty paid_on');
      assertErrors(await put({ status: 2, paid_on: '2026-07-02T10:00:00Z' }), wrong);
      assert.equal((await put({ status: 2 })).body.paid_on, null);
      for (const field of ['period_start', 'period_end'])
        assertErrors(await put({ [field]: '2026-06-15' }), `read_only ${field}`);
      assertErrors(await payroll.create({ period_start: '2026-07-01' }), 'end_before_start period_end');
    });

    it('moves its payment with it', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      const run = await payroll.run(profile);
      await payroll.payRun(run);
      const later = '2026-07-03T10:00:00Z';
      assert.equal((await payroll.setRun(run, { paid_on: later })).status, 200);
      const [sheet] = await payroll.list(`/paysheets?assignment_id=${id}`);
      assert.deepEqual([await payroll.paidOn(id), sheet.paid_on], [later, later]);
    });

    it('can be deleted while it is open, which frees its assignments', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      const run = await payroll.run(profile);
      await payroll.setRun(run, { status: 2 });
      const rejected = await payroll.remove(run);
      assert.deepEqual([rejected.status, rejected.body.code], [409, 'invalid_transition'], rejected.text);
      await payroll.setRun(run, { status: 1 });
      assert.equal((await payroll.remove(run)).status, 204);
      assert.deepEqual(await payroll.list(`/paysheets?assignment_id=${id}`), []);
      assert.deepEqual(await payroll.held(await payroll.run(profile)), [id]);
    });
  });

  describe('an assignment on a pay run', () => {
    it('can neither lose its approval nor be paid by itself', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      const run = await payroll.run(profile);
      const put = (paid_on: string | null) => payroll.put(`/assignments/${id}/pay`, { paid_on });
      assertErrors(await payroll.withdraw(id), 'on_pay_run approved_by_planner_id');
      assertErrors(await put(paid_on), 'on_pay_run paid_on');
      assert.equal((await put(null)).status, 200);
      await payroll.payRun(run);
      assertErrors(await payroll.withdraw(id), 'on_pay_run approved_by_planner_id');
      assertErrors(await put(null), 'on_pay_run paid_on');
      assertErrors(await put('2026-07-02T10:00:00Z'), 'on_pay_run paid_on');
      assert.equal((await put(paid_on)).status, 200);
      assert.equal(await payroll.paidOn(id), paid_on);
    });

    it('has a paysheet that changes only through the pay run', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      await payroll.run(profile);
      const [sheet] = await payroll.list(`/paysheets?assignment_id=${id}`);
      const put = (body: object) => payroll.put(`/paysheets/${sheet.id}`, body);
      assertErrors(await put({ status: 2 }), 'read_only status');
      assertErrors(await put({ lines: [] }), 'read_only lines');
      assertErrors(await put({ currency: 'CHF' }), 'read_only currency');
      assertErrors(await put({ status: 3, paid_on }), 'read_only status', 'read_only paid_on');
      assertErrors(await put({ pay_run_id: null }), 'read_only pay_run_id');
      const rejected = await client.call('DELETE', `/paysheets/${sheet.id}`);
      assert.deepEqual([rejected.status, rejected.body.code], [409, 'on_pay_run'], rejected.text);
      assert.equal((await put(sheet)).status, 200);
      assert.deepEqual((await payroll.list(`/paysheets?assignment_id=${id}`))[0], sheet);
    });
  });
});
