import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';
import { Billing } from '../billing/scene.ts';
import { assertErrors } from '../staffing/scene.ts';
import { shift, start } from '../work/scene.ts';
import { Corrections } from './corrections.ts';
import { paid_on, period } from './scene.ts';

forAnyApp((client, app) => {
  const payroll = new Corrections(client);

  describe('a correction', () => {
    it('of work that a pay run has paid is paid as the difference in a later one', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      const june = await payroll.run(profile);
      await payroll.payRun(june);
      const opened = await payroll.reopen(id);
      assert.equal(opened.status, 200, opened.text);
      assert.deepEqual(
        [opened.body.is_approved, opened.body.pay_amount, opened.body.paid_on, opened.body.correction.number],
        [0, null, paid_on, 1],
      );
      // One hour less in the evening: 1 h of the base and, after 23:00, of the night.
      await payroll.rework(id, { start, end: '2026-06-13T00:00:00Z' });
      const tried = await payroll.approve(id, '?dry_run=true');
      assert.deepEqual(tried.body.correction.totals, [{ currency: 'EUR', amount: -18.12 }]);
      const approved = await payroll.approve(id);
      assert.equal(approved.status, 200, approved.text);
      assert.deepEqual([approved.body.correction, approved.body.pay_amount], [null, 139.18]);
      const [sheet] = await payroll.corrections(id);
      assert.deepEqual(
        [sheet.total, sheet.pay_run_id, sheet.number, sheet.period_start],
        [-18.12, null, 1, '2026-06-01'],
      );
      const july = await payroll.run(profile, { period_start: '2026-07-01', period_end: '2099-07-31' });
      assert.deepEqual(await payroll.lines(july), [
        ['correction', 'Base hour', -1, -14.5],
        // A difference of one hour would be 3.63 by itself: 10.88 is paid in place of 14.50.
        ['correction', 'Night', -4, -14.5],
        ['correction', 'Night', 3, 10.88],
      ]);
      const [{ total, paysheet_count }] = await payroll.list(`/pay-runs?id=${july}`);
      assert.deepEqual([total, paysheet_count], [-18.12, 1]);
    });

    it('of work that was paid by itself begins with a paysheet of what was paid', async () => {
      const id = await payroll.approved();
      await payroll.pay(id);
      assert.equal((await payroll.reopen(id)).status, 200);
      const [sheet] = await payroll.list(`/paysheets?assignment_id=${id}`);
      assert.deepEqual(
        [sheet.kind, sheet.status, sheet.paid_on, sheet.pay_run_id, sheet.total, sheet.period_start, sheet.period_end],
        ['regular', 3, paid_on, null, 157.3, '2026-06-12', '2026-06-12'],
      );
      const [{ correction }] = await payroll.list(`/assignments?id=${id}`);
      assert.equal(correction.paysheet_id, sheet.id);
      assert.deepEqual(
        (await payroll.list('/assignments?correction=-null&fields=id')).map(found => found.id),
        [id],
      );
      const actions = await payroll.client.call('GET', `/assignments/${id}/open-actions`);
      const finish = { type: 'finish_correction', due: null, mandatory: 1, href: `/api/v1/assignments/${id}/approve` };
      assert.deepEqual(actions.body.actions.at(-1), finish);
      assert.equal((await payroll.approve(id)).status, 200);
      assert.deepEqual(await payroll.corrections(id), []);
    });

    it('is opened only of approved work that is paid, or on a run that is approved or paid', async () => {
      const profile = await payroll.profile();
      const open = await payroll.assignment({ profile });
      assertErrors(await payroll.reopen(open), 'not_approved is_approved');
      const id = await payroll.approved({ profile });
      assertErrors(await payroll.reopen(id), 'invalid_transition is_approved');
      const run = await payroll.run(profile);
      assertErrors(await payroll.reopen(id), 'invalid_transition is_approved');
      await payroll.setRun(run, { status: 2 });
      assertErrors(await payroll.reopen(id, ' '), 'not_empty reason');
      assert.equal((await payroll.reopen(id)).status, 200);
      assertErrors(await payroll.reopen(id), 'correction_open is_approved');
      assert.equal((await payroll.reopen(999_999_999)).status, 404);
      const poor = await app.newClient({ modules: new Set() });
      const response = await poor.call('PUT', '/assignments/1/reopen', { body: { reason: 'Paid twice.' } });
      assert.equal(response.body.code, 'module_disabled');
      const history = await payroll.list(`/assignments/${id}/history`);
      assert.deepEqual(history.at(-1).data, { number: 1, reason: 'The shift ended earlier.' });
    });

    it('does not tell those from whom pay is hidden whether the work is on an open run', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      const { call } = await restricted(app, client, { hidden: ['pay'] });
      const refused = async () => {
        const response = await call('PUT', `/assignments/${id}/reopen`, {
          body: { reason: 'The shift ended earlier.' },
        });
        assertErrors(response, 'invalid_transition is_approved');
        return response.body.errors;
      };
      const before = await refused();
      await payroll.run(profile);
      assert.deepEqual(await refused(), before);
    });

    it('lets only work and wages change while it is open', async () => {
      const id = await payroll.approved();
      await payroll.pay(id);
      await payroll.reopen(id);
      const [before] = await payroll.list(`/assignments?id=${id}`);
      const other = await payroll.staffing.shift(...shift);
      for (const [path, body, field] of [
        ['status', { status: 7 }, 'status'],
        ['time', { start: '2026-06-12T15:00:00Z' }, 'start'],
        ['pay', { paid_on: null }, 'paid_on'],
        ['approve', { approved_by_planner_id: null }, 'approved_by_planner_id'],
      ] as const)
        assertErrors(await payroll.put(`/assignments/${id}/${path}`, body), `correction_open ${field}`);
      const away = await payroll.put(`/assignments/${id}/move`, { event_function_id: other });
      assertErrors(away, 'correction_open event_function_id', 'work_recorded event_function_id');
      const removed = await client.call('DELETE', `/assignments/${id}`);
      assert.deepEqual([removed.status, removed.body.code], [409, 'correction_open']);
      const [{ id: event }] = await payroll.list(`/events?id=${before.event_id}`);
      const moved = { start: '2026-06-20T16:00:00Z', end: '2026-06-21T01:00:00Z' };
      assert.equal((await payroll.put(`/events/${event}?force=true`, moved)).status, 200);
      const [after] = await payroll.list(`/assignments?id=${id}`);
      assert.deepEqual(
        [after.start, after.end, after.wage_profile_id],
        [before.start, before.end, before.wage_profile_id],
      );
      await payroll.rework(id, { end: '2026-06-13T00:30:00Z' });
      const [wage] = await payroll.list(`/assignment-wages?assignment_id=${id}&sort=id`);
      assert.equal((await payroll.put(`/assignment-wages/${wage.id}`, { base_value: 15 })).status, 200);
      const asked = await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 5, value: 3 });
      assert.equal((await payroll.put(`/wage-proposals/${asked}`, { status: 2 })).status, 200);
      assert.equal((await payroll.approve(id)).status, 200);
    });

    it('fixes what it corrects and its own paysheets', async () => {
      const id = await payroll.approved();
      const lines = [
        { wage_type_id: 1, name: 'Base hour', quantity: 9, unit: 'hour', rate: 14.5, amount: 130.5 },
        { name: 'Advance', amount: -20 },
      ];
      const sheet = await payroll.post('paysheets', { assignment_id: id, ...period, lines });
      await payroll.pay(id);
      await payroll.correct(id, { end: '2026-06-13T00:00:00Z' });
      const [difference] = await payroll.corrections(id);
      // Of 139.18, 130.50 are paid: the advance is no wage.
      assert.equal(difference.total, 8.68);
      assertErrors(
        await payroll.put(`/paysheets/${sheet}`, { status: 2, paid_on: null }),
        'read_only status',
        'read_only paid_on',
      );
      assertErrors(await payroll.put(`/assignments/${id}/pay`, { paid_on: null }), 'read_only paid_on');
      const kept = await client.call('DELETE', `/paysheets/${sheet}`);
      assert.deepEqual([kept.status, kept.body.code], [409, 'still_referenced']);
      assertErrors(await payroll.put(`/paysheets/${difference.id}`, { lines: [] }), 'read_only lines');
      const own = await client.call('DELETE', `/paysheets/${difference.id}`);
      assert.deepEqual([own.status, own.body.code], [409, 'correction_open']);
    });

    it('is not approved with a difference that is out of range, of many it alone', async () => {
      const [id, other] = [await payroll.approved(), await payroll.approved()];
      const lines = [{ wage_type_id: 1, name: 'Base hour', amount: -9_999_999_999 }];
      await payroll.post('paysheets', { assignment_id: id, ...period, lines });
      for (const assignment of [id, other]) {
        await payroll.pay(assignment);
        assert.equal((await payroll.reopen(assignment)).status, 200);
      }
      assertErrors(await payroll.approve(id, '?dry_run=true'), 'out_of_range approved_by_planner_id');
      assertErrors(await payroll.approve(id), 'out_of_range approved_by_planner_id');
      const [{ approved_by_planner_id }] = await payroll.list('/assignments?approved_by_planner_id=-null&limit=1');
      const many = await payroll.put('/assignments/approve', { assignment_ids: [id, other], approved_by_planner_id });
      assert.deepEqual(
        many.body.results.map(({ result, error }: Record<string, { code: string }>) => [result, error?.code]),
        [
          ['failed', 'out_of_range'],
          ['changed', undefined],
        ],
      );
      assert.deepEqual(await payroll.corrections(id), []);
    });

    it('has no line of an unchanged wage that has no wage profile, and no paysheet without a change', async () => {
      const profile = await payroll.profile();
      const id = await payroll.assignment({ profile });
      await payroll.work(id);
      const body = { assignment_id: id, payable_amount: 12.5 };
      const expenses = await client.call('POST', '/assignment-wages', { body });
      assert.deepEqual([expenses.status, expenses.body.wage_profile_id], [201, null], expenses.text);
      assert.equal((await payroll.approve(id)).status, 200);
      await payroll.payRun(await payroll.run(profile));
      assert.equal((await payroll.reopen(id)).status, 200);
      assert.equal((await payroll.approve(id)).status, 200);
      assert.deepEqual(await payroll.corrections(id), []);
      await payroll.correct(id, { end: '2026-06-13T00:00:00Z' });
      const [{ lines }] = await payroll.corrections(id);
      assert.ok(
        lines.every(({ wage_type_id }: { wage_type_id: number | null }) => wage_type_id),
        JSON.stringify(lines),
      );
    });

    it('replaces the difference of an earlier one that is not collected, and adds to one that is', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      await payroll.payRun(await payroll.run(profile));
      await payroll.correct(id, { end: '2026-06-13T00:00:00Z' });
      await payroll.correct(id, { end: '2026-06-12T23:00:00Z' });
      const sums = async () => (await payroll.corrections(id)).map(({ number, total }) => [number, total]);
      assert.deepEqual(await sums(), [[2, -36.25]]);
      await payroll.run(profile, { period_end: '2099-12-31' });
      await payroll.correct(id, { end: '2026-06-13T01:00:00Z' });
      assert.deepEqual(await sums(), [
        [2, -36.25],
        [3, 36.25],
      ]);
    });

    it('keeps the run of its work closed, and survives the deletion of the run that collected it', async () => {
      const profile = await payroll.profile();
      const id = await payroll.approved({ profile });
      const june = await payroll.run(profile);
      await payroll.payRun(june);
      assert.equal((await payroll.reopen(id)).status, 200);
      assert.equal((await payroll.setRun(june, { status: 2 })).status, 200);
      assertErrors(await payroll.setRun(june, { status: 1 }), 'invalid_transition status');
      await payroll.rework(id, { end: '2026-06-13T00:00:00Z' });
      assert.equal((await payroll.approve(id)).status, 200);
      assertErrors(await payroll.setRun(june, { status: 1 }), 'invalid_transition status');
      const later = { period_start: '2026-07-01', period_end: '2099-12-31' };
      const july = await payroll.run(profile, later);
      await payroll.payRun(july);
      assert.equal(await payroll.paidOn(id), null, 'The work is paid with its own run.');
      assert.equal((await payroll.corrections(id))[0].paid_on, paid_on);
      for (const status of [2, 1]) assert.equal((await payroll.setRun(july, { status })).status, 200);
      assert.equal((await payroll.remove(july)).status, 204);
      const [released] = await payroll.corrections(id);
      assert.deepEqual([released.pay_run_id, released.status], [null, 1]);
      const again = await payroll.run(profile, later);
      const out = await client.call('DELETE', `/pay-runs/${again}/paysheets/${released.id}`);
      assert.equal(out.status, 204, out.text);
      assert.deepEqual((await payroll.list(`/pay-runs?id=${again}`))[0].totals, []);
      assert.equal((await payroll.corrections(id)).length, 1);
    });

    it('has the difference of what is billed', async () => {
      const billing = new Billing(client);
      const company = await billing.newClient();
      await billing.terms(company, [{ rate: 30 }, { rate: 5, unit: 'flat' }]);
      const id = await billing.worked(company, await billing.function());
      assert.equal((await payroll.approve(id)).status, 200);
      await payroll.pay(id);
      const [hours] = await payroll.list(`/assignment-billings?assignment_id=${id}&sort=id`);
      await payroll.put(`/assignment-billings/${hours.id}`, { billed_on: paid_on });
      await payroll.correct(id, { end: '2026-06-13T00:00:00Z' });
      const billings = await payroll.list(`/assignment-billings?assignment_id=${id}&sort=id`);
      assert.deepEqual(
        billings.map(item => [
          item.unit,
          item.quantity,
          item.billable_amount,
          item.corrects_billing_id,
          item.client_id,
        ]),
        [
          ['hour', 9, 270, null, company],
          ['hour', -1, -30, hours.id, company],
          ['flat', 1, 5, null, company],
        ],
      );
      assertErrors(await payroll.put(`/assignment-billings/${billings[1].id}`, { factor: 2 }), 'read_only factor');
    });
  });

  describe('a pay run', () => {
    it('includes late work only if told, and each part alone', async () => {
      const profile = await payroll.profile();
      const late = await payroll.approved({ profile });
      const regular = await payroll.approved({ profile, times: ['2026-07-10T16:00:00Z', '2026-07-11T01:00:00Z'] });
      const july = { period_start: '2026-07-01', period_end: '2026-07-31' };
      const held = async (include?: readonly string[]) => {
        const run = await payroll.run(profile, { ...july, ...(include && { include }) });
        const sheets = await payroll.list(`/paysheets?pay_run_id=${run}&sort=assignment_id`);
        assert.equal((await payroll.remove(run)).status, 204);
        return sheets.map(({ assignment_id, kind }) => [assignment_id, kind]);
      };
      assert.deepEqual(await held(), [[regular, 'regular']]);
      assert.deepEqual(await held(['late']), [[late, 'late']]);
      assert.deepEqual(await held(['corrections']), []);
      assert.deepEqual(await held(['regular', 'late', 'corrections']), [
        [late, 'late'],
        [regular, 'regular'],
      ]);
      assertErrors(await payroll.create({ ...july, include: [] }), 'not_empty include');
    });

    it('loses one of its paysheets while it is open', async () => {
      const profile = await payroll.profile();
      const [first, second] = [await payroll.approved({ profile }), await payroll.approved({ profile })];
      const run = await payroll.run(profile);
      const [sheet] = await payroll.list(`/paysheets?assignment_id=${first}`);
      const remove = (of: number) => client.call('DELETE', `/pay-runs/${of}/paysheets/${sheet.id}`);
      assert.equal((await remove(run + 1_000_000)).status, 404);
      await payroll.setRun(run, { status: 2 });
      assert.deepEqual((await remove(run)).body.code, 'invalid_transition');
      await payroll.setRun(run, { status: 1 });
      assert.equal((await remove(run)).status, 204);
      assert.deepEqual([await payroll.held(run), (await remove(run)).status], [[second], 404]);
      assert.deepEqual((await payroll.list(`/pay-runs?id=${run}`))[0].total, 157.3);
      assert.deepEqual(await payroll.held(await payroll.run(profile)), [first]);
    });
  });
});
