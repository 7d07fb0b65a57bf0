import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertConflict, assertErrors, errorsOf } from '../staffing/scene.ts';
import { end, Payroll, start, wageTypes } from '../work/scene.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);

  const worksOf = (id: number) => payroll.list(`/work-times?event_function_employee_id=${id}&sort=id`);

  describe('approval', () => {
    it('sums up the wages that are not disabled, and approves the work times', async () => {
      const id = await payroll.assignment();
      await payroll.work(id);
      const [base, night] = await payroll.list(`/assignment-wages?assignment_id=${id}&sort=id`);
      await payroll.put(`/assignment-wages/${night.id}`, { is_disabled: 1 });
      await payroll.put(`/assignment-wages/${base.id}`, { base_value: 15 });
      const approved = await payroll.approve(id);
      assert.equal(approved.body.pay_amount, 135 + 12.3, approved.text);
      const [work] = await worksOf(id);
      assert.deepEqual([work.is_approved, work.approved_on !== null], [1, true]);
    });

    it('that was not there is not taken back: work approved by itself stays so', async () => {
      const id = await payroll.assignment();
      await payroll.work(id, { is_approved: 1 });
      assert.equal((await payroll.withdraw(id)).status, 200);
      assert.deepEqual(
        (await worksOf(id)).map(({ is_approved }) => is_approved),
        [1],
      );
    });

    const overriddenOf = async (id: number): Promise<string[]> =>
      (await payroll.list(`/assignments/${id}/history`)).find(({ action }) => action === 'approval').overridden;

    it('of an assignment with neither work nor wages is rejected, and pays 0 if it is forced', async () => {
      const id = await payroll.assignment();
      assertErrors(await payroll.approve(id), 'nothing_to_approve approved_by_planner_id');
      assert.equal((await payroll.approve(id, '?force=true')).body.pay_amount, 0);
      assert.deepEqual(await overriddenOf(id), ['nothing_to_approve']);
    });

    it('of wages without work pays them, unless all of them are disabled', async () => {
      const id = await payroll.assignment();
      const wage = await payroll.post('assignment-wages', { assignment_id: id, payable_amount: 20, is_disabled: 1 });
      assertErrors(await payroll.approve(id), 'nothing_to_approve approved_by_planner_id');
      await payroll.put(`/assignment-wages/${wage}`, { is_disabled: 0 });
      assert.equal((await payroll.approve(id)).body.pay_amount, 20);
    });

    it('sums up amounts that are rounded half up to the cent, one by one', async () => {
      const id = await payroll.assignment();
      for (const payable_amount of [0.005, 0.005, 1.0049])
        await payroll.post('assignment-wages', { assignment_id: id, payable_amount });
      assert.equal((await payroll.approve(id)).body.pay_amount, 1.02);
    });

    it('of work needs a wage profile, and says where one is set', async () => {
      const id = await payroll.assignment({ profile: null });
      await payroll.work(id);
      await payroll.withoutDefault(async () => {
        const rejected = await payroll.approve(id, '?force=true');
        assertErrors(rejected, 'wage_profile_missing approved_by_planner_id');
        for (const place of ['event function', 'function', 'employee', 'is_default'])
          assert.ok(rejected.body.errors[0].message.includes(place), rejected.text);
        assert.deepEqual(
          (await worksOf(id)).map(({ is_approved }) => is_approved),
          [0],
        );
      });
    });

    it('of work for which the wage profile has no wage is rejected, and pays the rest if it is forced', async () => {
      const night = { id: 1, name: 'Night', value: 20, windows: [{ from: '23:00', to: '06:00' }] };
      const types: [wageTypes: readonly object[], pay: number][] = [
        [[], 0],
        [[{ id: 1, name: 'Hours' }], 0],
        [[{ id: 1, name: 'On proposal', type: '4', value: 5 }], 0],
        [[night], 80],
      ];
      for (const [wage_types, pay] of types) {
        const id = await payroll.assignment({ profile: await payroll.profile(wage_types) });
        await payroll.work(id);
        assertErrors(await payroll.approve(id), 'wage_type_missing approved_by_planner_id');
        assert.equal((await payroll.approve(id, '?force=true')).body.pay_amount, pay);
        assert.deepEqual(await overriddenOf(id), ['wage_type_missing']);
      }
      const flat = [night, { id: 2, name: 'Flat', type: '3', value: 100 }];
      const id = await payroll.assignment({ profile: await payroll.profile(flat) });
      await payroll.work(id);
      assert.equal((await payroll.approve(id)).body.pay_amount, 180);
    });

    it('is refused over approved work elsewhere, and over work that is told twice', async () => {
      const employee = await payroll.staffing.employee();
      const [first, second] = [await payroll.assignment({ employee }), await payroll.assignment({ employee })];
      await payroll.work(first);
      await payroll.work(second, { start: '2026-06-13T00:59:59Z', end: '2026-06-13T03:00:00Z' });
      assert.equal((await payroll.approve(first)).status, 200);
      assertErrors(await payroll.approve(second), 'overlapping_work_time approved_by_planner_id');
      const twice = await payroll.assignment();
      await payroll.work(twice);
      await payroll.work(twice);
      assertErrors(await payroll.approve(twice), 'overlapping_work_time approved_by_planner_id');
    });

    it('is refused for a pay below nothing', async () => {
      const id = await payroll.assignment();
      await payroll.post('assignment-wages', { assignment_id: id, payable_amount: -5 });
      assertErrors(await payroll.approve(id), 'out_of_range pay_amount');
    });

    it('derives by the wage types as they are by then, and keeps pay and profile whatever changes afterwards', async () => {
      const profile = await payroll.profile();
      const employee = await payroll.staffing.employee();
      const id = await payroll.assignment({ profile, employee });
      await payroll.work(id);
      const raise = (value: number) =>
        payroll.put(`/wage-profiles/${profile}`, { wage_types: [{ ...wageTypes[0], value }] });
      await raise(20);
      const approved = await payroll.approve(id);
      assert.deepEqual([approved.body.pay_amount, approved.body.wage_profile_id], [180, profile]);
      await raise(30);
      await payroll.put(`/event-functions/${approved.body.event_function_id}`, { wage_profile_id: null });
      const again = await payroll.approve(id);
      assert.deepEqual([again.body.pay_amount, again.body.wage_profile_id], [180, profile]);
      await payroll.withdraw(id);
      assert.equal((await payroll.approve(id)).body.pay_amount, 0, "by the tenant's default, at the rate 0");
    });

    it('taken back takes the pay and the approval of the work, but for accepted proposals, and all moves again', async () => {
      const id = await payroll.assignment();
      const work = await payroll.work(id, { start: end, end: '2026-06-13T02:00:00Z' });
      await payroll.accept(await payroll.propose(id));
      await payroll.accept(
        await payroll.propose(id, { start: '2026-06-13T04:00:00Z', end: '2026-06-13T05:00:00Z', source: 2 }),
      );
      await payroll.work(id, { start: '2026-06-13T05:00:00Z', end: '2026-06-13T06:00:00Z', source: 4 });
      await payroll.approve(id);
      const withdrawn = await payroll.withdraw(id);
      const { is_approved, pay_amount, approved_on, approved_by_planner_id } = withdrawn.body;
      assert.deepEqual([is_approved, pay_amount, approved_on, approved_by_planner_id], [0, null, null, null]);
      assert.deepEqual(
        (await worksOf(id)).map(row => [row.source, row.is_approved, row.approved_on === null]),
        [
          [1, 0, true],
          [2, 1, false],
          [2, 1, false],
          [4, 0, true],
        ],
      );
      assert.equal((await payroll.put(`/work-times/${work}`, { end: '2026-06-13T03:00:00Z' })).status, 200);
      assert.equal((await payroll.approve(id)).body.pay_amount, 159.5 + 21.75 + 12.3 + 29);
    });
  });

  describe('work and pay', () => {
    it('of an approved assignment stay as they are, of a paid one too', async () => {
      const id = await payroll.assignment();
      const work = await payroll.work(id);
      const proposal = await payroll.propose(id, { start: end, end: '2026-06-13T03:00:00Z' });
      const asked = await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 5, value: 1 });
      const [wage] = await payroll.list(`/assignment-wages?assignment_id=${id}`);
      await payroll.approve(id);
      const writes: [method: string, path: string, body?: object, field?: string][] = [
        ['POST', '/work-times', { event_function_employee_id: id, start, end }, 'event_function_employee_id'],
        ['PUT', `/work-times/${work}`, { is_approved: 0 }, 'event_function_employee_id'],
        ['DELETE', `/work-times/${work}`],
        ['POST', '/work-time-proposals', { assignment_id: id, start, end }, 'assignment_id'],
        ['PUT', `/work-time-proposals/${proposal}`, { status: 2 }, 'status'],
        ['PUT', `/work-time-proposals/${proposal}`, { status: 3 }, 'status'],
        ['PUT', `/work-time-proposals/${proposal}`, { remarks: 'x' }, 'assignment_id'],
        ['DELETE', `/work-time-proposals/${proposal}`],
        ['POST', '/wage-proposals', { assignment_id: id, wage_type_id: 5, value: 1 }, 'assignment_id'],
        ['PUT', `/wage-proposals/${asked}`, { status: 2 }, 'status'],
        ['DELETE', `/wage-proposals/${asked}`],
        ['POST', '/assignment-wages', { assignment_id: id, payable_amount: 1 }, 'assignment_id'],
        ['PUT', `/assignment-wages/${wage.id}`, { factor: 1 }, 'assignment_id'],
        ['PUT', `/assignment-wages/${wage.id}`, { is_disabled: 1 }, 'assignment_id'],
        ['DELETE', `/assignment-wages/${wage.id}`],
        ['DELETE', `/assignments/${id}`],
      ];
      const resources = [
        'work-times?event_function_employee_id',
        'work-time-proposals?assignment_id',
        'wage-proposals?assignment_id',
        'assignment-wages?assignment_id',
      ];
      const stored = () => Promise.all(resources.map(path => payroll.list(`/${path}=${id}`)));
      const frozen = await stored();
      for (const code of ['assignment_approved', 'assignment_paid']) {
        for (const [method, path, body, field] of writes) {
          const response = await payroll.client.call(method, path, body && { body });
          if (field) assert.deepEqual(errorsOf(response), [[code, field]], `${method} ${path}`);
          else assertConflict(response, code);
        }
        assert.deepEqual(await stored(), frozen);
        await payroll.pay(id);
      }
    });
  });
});
