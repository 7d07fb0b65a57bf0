import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { Payroll, shift } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp((client, app) => {
  const payroll = new Payroll(client);

  const wageOf = async (id: number, name: string) =>
    (await payroll.list(`/assignment-wages?assignment_id=${id}&wage_type.name=${encodeURIComponent(name)}`))[0];

  describe('wages', () => {
    it('follow every change of the work, and keep their ids', async () => {
      const id = await payroll.assignment();
      const work = await payroll.work(id);
      const base = await wageOf(id, 'Base hour');
      assert.deepEqual(
        [base.base_value, base.factor, base.payable_amount, base.type, base.is_valid],
        [14.5, 9, 130.5, '1', 1],
      );
      assert.deepEqual(
        [base['wage_type.external_id'], base['wage_type.currency_format'], base['wage_type_value.unit']],
        ['LA-100', 'EUR', 'hour'],
      );
      await payroll.put(`/work-times/${work}`, {
        break_start: '2026-06-12T18:00:00Z',
        break_end: '2026-06-12T18:20:00Z',
      });
      const shorter = await wageOf(id, 'Base hour');
      assert.deepEqual([shorter.id, shorter.factor, shorter.payable_amount], [base.id, 8.666667, 125.67]);
      await payroll.client.call('DELETE', `/work-times/${work}`);
      assert.deepEqual(await payroll.wages(id), []);
    });

    it('are of the event function’s terms, else of its function’s, else of the employee’s, else of the default’s', async () => {
      const profile = (name: string) => payroll.profile([{ id: 1, name, value: 10 }]);
      const [ofPlace, ofFunction, ofEmployee] = [
        await profile('place'),
        await profile('function'),
        await profile('employee'),
      ];
      for (const [place, task, person, want] of [
        [ofPlace, ofFunction, ofEmployee, 'place'],
        [null, ofFunction, ofEmployee, 'function'],
        [null, null, ofEmployee, 'employee'],
        [null, null, null, 'hours'],
      ] as const) {
        const function_id = await payroll.post('functions', { name: 'Bar', wage_profile_id: task });
        const employee = await payroll.staffing.employee({ wage_profile_id: person });
        const target = await payroll.staffing.shift(...shift, { function_id, wage_profile_id: place });
        const id = await payroll.staffing.assignment(employee, target, 6);
        await payroll.work(id);
        assert.deepEqual(
          (await payroll.wages(id)).map(([name]) => name),
          [want],
        );
      }
    });

    it('are none without a wage profile, and come when the next derivation has one', async () => {
      const employee = await payroll.staffing.employee();
      const id = await payroll.assignment({ profile: null, employee });
      await payroll.withoutDefault(async () => {
        await payroll.work(id);
        assert.deepEqual(await payroll.wages(id), []);
      });
      await payroll.put(`/employees/${employee}`, { wage_profile_id: await payroll.profile() });
      assert.equal((await payroll.approve(id)).body.pay_amount, 130.5 + 14.5 + 12.3);
    });

    it('are none for a tenant without the payroll module, whose work is stored and approved all the same', async () => {
      const without = new Payroll(await app.newClient({ modules: new Set() }));
      const id = await without.assignment({ profile: null });
      await without.work(id);
      const approved = await without.approve(id);
      assert.deepEqual([approved.status, approved.body.is_approved, approved.body.pay_amount], [200, 1, null]);
    });

    it('changed by hand pay the base value times the factor, half up', async () => {
      const id = await payroll.assignment();
      await payroll.work(id);
      const { id: wage } = await wageOf(id, 'Base hour');
      const put = (body: object) => payroll.put(`/assignment-wages/${wage}`, body);
      assert.equal((await put({ factor: 8.5 })).body.payable_amount, 123.25);
      assert.equal((await put({ base_value: 1.005, factor: 1 })).body.payable_amount, 1.01);
      assert.equal((await put({ base_value: null })).body.payable_amount, null);
      assertErrors(await put({ base_value: 9_999_999_999, factor: 2 }), 'out_of_range factor');
      assertErrors(await put({ payable_amount: 5 }), 'read_only payable_amount');
    });

    it('with an amount alone keep it when their factor changes, and are paid by a base value as soon as they have one', async () => {
      const id = await payroll.assignment();
      const wage = await payroll.post('assignment-wages', { assignment_id: id, payable_amount: 100 });
      const put = async (body: object) => (await payroll.put(`/assignment-wages/${wage}`, body)).body;
      assert.deepEqual(
        [(await put({ factor: 2 })).payable_amount, (await put({ factor: 3 })).payable_amount],
        [100, 100],
      );
      assert.equal((await put({ base_value: 7 })).payable_amount, 21);
    });

    it('changed by hand stay when the work changes, and tell that they no longer fit until they are changed again', async () => {
      const id = await payroll.assignment();
      const work = await payroll.work(id);
      const { id: wage } = await wageOf(id, 'Base hour');
      const night = await wageOf(id, 'Night');
      await payroll.put(`/assignment-wages/${wage}`, { factor: 8 });
      await payroll.put(`/assignment-wages/${night.id}`, { is_disabled: 1 });
      assert.equal((await wageOf(id, 'Base hour')).is_valid, 1);
      await payroll.put(`/work-times/${work}`, { end: '2026-06-13T02:00:00Z' });
      const kept = await wageOf(id, 'Base hour');
      assert.deepEqual([kept.id, kept.factor, kept.payable_amount, kept.is_valid], [wage, 8, 116, 0]);
      const followed = await wageOf(id, 'Night');
      assert.deepEqual([followed.factor, followed.is_disabled, followed.is_valid], [5, 1, 1]);
      assert.equal((await payroll.put(`/assignment-wages/${wage}`, { factor: 8.5 })).body.is_valid, 1);
      await payroll.client.call('DELETE', `/work-times/${work}`);
      assert.deepEqual(
        (await payroll.list(`/assignment-wages?assignment_id=${id}`)).map(row => [row.id, row.is_valid]),
        [[wage, 0]],
      );
    });

    it('that are added pay what they say, or else the base value times the factor, and no derivation touches them', async () => {
      const id = await payroll.assignment();
      const told = await payroll.post('assignment-wages', {
        assignment_id: id,
        payable_amount: 20,
        'wage_type.name': 'Bonus',
      });
      const counted = await payroll.post('assignment-wages', { assignment_id: id, base_value: 3.335, factor: 3 });
      await payroll.work(id);
      const wages = await payroll.list(`/assignment-wages?id=${told},${counted}&sort=id`);
      assert.deepEqual(
        wages.map(({ payable_amount, is_valid }) => [payable_amount, is_valid]),
        [
          [20, 1],
          [10.01, 1],
        ],
      );
    });
  });
});
