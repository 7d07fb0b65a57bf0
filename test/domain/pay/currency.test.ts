import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { wageTypes } from '../work/scene.ts';
import { PayRuns, period } from './scene.ts';

forAnyApp(client => {
  const payroll = new PayRuns(client);

  const profileIn = (currency: string, more: object = {}): Promise<number> =>
    payroll.post('wage-profiles', { name: currency, currency, wage_types: wageTypes, ...more });

  /** Pays an assignment by another wage profile from now on. */
  const payBy = async (assignment: number, wage_profile_id: number): Promise<void> => {
    const [{ event_function_id }] = await payroll.list(`/assignments?id=${assignment}`);
    const { status, text } = await payroll.put(`/event-functions/${event_function_id}`, { wage_profile_id });
    assert.equal(status, 200, text);
  };

  const currencies = async (assignment: number): Promise<string[]> =>
    (await payroll.list(`/assignment-wages?assignment_id=${assignment}&sort=id`)).map(({ currency }) => currency);

  const add = (assignment_id: number, body: object = {}): Promise<ApiResponse> =>
    client.call('POST', '/assignment-wages', { body: { assignment_id, payable_amount: 100, ...body } });

  const namedBy = ({ body }: ApiResponse): number[] => body.errors[0].wage_ids;

  describe('the currency of a wage', () => {
    it('is that of the wage profile at each derivation, until the approval, and again after its withdrawal', async () => {
      const profile = await profileIn('BGN');
      const id = await payroll.approved({ profile });
      assert.deepEqual(await currencies(id), ['BGN', 'BGN', 'BGN']);
      await payroll.put(`/wage-profiles/${profile}`, { currency: 'EUR' });
      assert.deepEqual(await currencies(id), ['BGN', 'BGN', 'BGN']);
      const run = await payroll.run(profile);
      const [sheet] = await payroll.list(`/paysheets?pay_run_id=${run}`);
      const lines = await payroll.list(`/pay-runs/${run}/lines`);
      assert.deepEqual(
        [sheet, ...sheet.lines, ...lines].map(({ currency }) => currency),
        Array(7).fill('BGN'),
      );
      const [{ totals }] = await payroll.list(`/pay-runs?id=${run}`);
      assert.deepEqual(totals, [{ currency: 'BGN', amount: 157.3 }]);
      await payroll.remove(run);
      await payroll.withdraw(id);
      assert.equal((await payroll.approve(id)).status, 200);
      assert.deepEqual(await currencies(id), ['EUR', 'EUR', 'EUR']);
    });

    it('keeps an assignment that an earlier release approved with several from being paid in one', async () => {
      const profile = await profileIn('EUR');
      const id = await payroll.approved({ profile });
      const [{ id: wage }] = await payroll.list(`/assignment-wages?assignment_id=${id}&sort=id`);
      await client.database.asOwner(client.tenant.id, ({ kysely }) =>
        kysely.updateTable('assignment_wages').set({ currency: 'CHF' }).where('id', '=', wage).execute(),
      );
      const refused = await payroll.create({ wage_profile_id: profile });
      assertErrors(refused, 'currency_mismatch period_end');
      assert.match(refused.body.errors[0].message, new RegExp(`: ${id}\\.`));
      await payroll.withdraw(id);
      assert.equal((await payroll.put(`/assignment-wages/${wage}`, { is_disabled: 1 })).status, 200);
      assert.equal((await payroll.approve(id)).status, 200);
      await payroll.run(profile);
    });

    it('decides how it is rounded', async () => {
      const types = [{ id: 1, name: 'Hours', value: 10.0505 }];
      for (const [currency, amount] of [
        ['JPY', 90],
        ['EUR', 90.45],
        ['KWD', 90.455],
      ] as const) {
        const id = await payroll.assignment({ profile: await profileIn(currency, { wage_types: types }) });
        await payroll.work(id);
        const [wage] = await payroll.list(`/assignment-wages?assignment_id=${id}`);
        assert.deepEqual([wage.currency, wage.base_value, wage.payable_amount], [currency, 10.0505, amount]);
        const given = await add(id, { payable_amount: 10.0505 });
        assert.deepEqual(
          [given.body.currency, given.body.payable_amount],
          [currency, Number((10.0505).toFixed(3)) === 0 ? 0 : { JPY: 10, EUR: 10.05, KWD: 10.051 }[currency]],
        );
        assert.equal((await payroll.approve(id)).body.pay_amount, { JPY: 100, EUR: 100.5, KWD: 100.506 }[currency]);
      }
    });

    it('stays that of its edit, and can be put back', async () => {
      const profile = await profileIn('EUR');
      const id = await payroll.assignment({ profile });
      const work = await payroll.work(id);
      const [base] = await payroll.list(`/assignment-wages?assignment_id=${id}&sort=id`);
      const edited = await payroll.put(`/assignment-wages/${base.id}`, { factor: 8 });
      await payroll.put(`/wage-profiles/${profile}`, { currency: 'CHF' });
      await payroll.put(`/work-times/${work}`, { end: '2026-06-13T02:00:00Z' });
      const [kept, night] = await payroll.list(`/assignment-wages?assignment_id=${id}&sort=id`);
      assert.deepEqual(
        [kept.currency, kept['wage_type.currency_format'], kept.payable_amount, night.currency],
        ['EUR', 'EUR', edited.body.payable_amount, 'CHF'],
      );
      assert.equal((await payroll.put(`/assignment-wages/${kept.id}`, kept)).status, 200);
      assertErrors(await payroll.put(`/assignment-wages/${kept.id}`, { currency: 'CHF' }), 'read_only currency');
      assertErrors(
        await payroll.put(`/assignment-wages/${kept.id}`, { factor: 7 }),
        'currency_mismatch wage_profile_id',
      );
    });

    it('must be that of the assignment when it is written, unless it is disabled', async () => {
      const [euro, yen] = [await profileIn('EUR'), await profileIn('JPY')];
      const id = await payroll.assignment({ profile: euro });
      assertErrors(await add(id, { wage_profile_id: yen }), 'currency_mismatch wage_profile_id');
      const disabled = await add(id, { wage_profile_id: yen, is_disabled: 1 });
      assert.deepEqual([disabled.status, disabled.body.currency], [201, 'JPY'], disabled.text);
      const path = `/assignment-wages/${disabled.body.id}`;
      assertErrors(await payroll.put(path, { is_disabled: 0 }), 'currency_mismatch wage_profile_id');
      assert.equal((await payroll.put(path, { factor: 2 })).status, 200);
      assert.equal((await add(id)).body.currency, 'EUR');
      assertErrors(await add(id, { currency: 'EUR' }), 'read_only currency');
    });

    it('must be that of the assignment at its approval, which names others; disabling or deleting them helps', async () => {
      const id = await payroll.assignment({ profile: await profileIn('EUR') });
      const expense = await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 5, value: 40 });
      await payroll.put(`/wage-proposals/${expense}`, { status: 2 });
      const bonus = (await add(id)).body.id;
      const [{ id: accepted }] = await payroll.list(`/assignment-wages?assignment_id=${id}&wage_type.name=Carrying`);
      await payBy(id, await profileIn('CHF'));
      await payroll.work(id);
      for (const query of ['', '?force=true', '?dry_run=true']) {
        const rejected = await payroll.approve(id, query);
        assertErrors(rejected, 'currency_mismatch approved_by_planner_id');
        assert.deepEqual(namedBy(rejected), [accepted, bonus]);
      }
      await payroll.put(`/assignment-wages/${accepted}`, { is_disabled: 1 });
      assert.deepEqual(namedBy(await payroll.approve(id)), [bonus]);
      await client.call('DELETE', `/assignment-wages/${bonus}`);
      assert.equal((await payroll.approve(id)).body.pay_amount, 157.3);
    });

    it('without a wage profile is that of the first wage', async () => {
      const id = await payroll.assignment({ profile: null });
      await payroll.withoutDefault(async () => {
        const swiss = await profileIn('CHF');
        await add(id, { wage_profile_id: swiss });
        const other = await add(id);
        assert.equal(other.body.currency, 'EUR');
        assert.deepEqual(namedBy(await payroll.approve(id)), [other.body.id]);
        await client.call('DELETE', `/assignment-wages/${other.body.id}`);
        assert.equal((await payroll.approve(id)).body.pay_amount, 100);
      });
    });
  });

  describe('the base value of a wage', () => {
    it('has at most four decimal places if it is written; a derived one can be put back', async () => {
      const types = [{ id: 1, name: 'Hours', value: 13.3333, factor: 0.2755 }];
      const id = await payroll.assignment({ profile: await profileIn('EUR', { wage_types: types }) });
      await payroll.work(id);
      const [wage] = await payroll.list(`/assignment-wages?assignment_id=${id}`);
      assert.equal(wage.base_value, 3.67332415);
      const path = `/assignment-wages/${wage.id}`;
      assert.deepEqual((await payroll.put(path, { ...wage, factor: 8 })).body.base_value, 3.67332415);
      assertErrors(await payroll.put(path, { base_value: 3.67331 }), 'out_of_range base_value');
      assertErrors(await add(id, { base_value: 1.00001 }), 'out_of_range base_value');
      assert.equal((await payroll.put(path, { base_value: 3.6733 })).status, 200);
    });

    it('of a factor stored with more decimal places is multiplied by all of them, which its line shows', async () => {
      const profile = await profileIn('EUR', { wage_types: [{ id: 1, name: 'Hours', value: 15 }] });
      const types = JSON.stringify([{ id: 1, name: 'Hours', value: 15, factor: 0.333333 }]);
      await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        await kysely.updateTable('wage_profiles').set({ wage_types: types }).where('id', '=', profile).execute();
      });
      const id = await payroll.approved({ profile });
      const [line] = await payroll.list(`/pay-runs/${await payroll.run(profile)}/lines`);
      assert.deepEqual(
        [line.assignment_id, line.quantity, line.rate, line.factor, line.amount],
        [id, 9, 15, 0.333333, 45],
      );
    });
  });

  describe('the currency of a wage profile', () => {
    it('is that of the formats of its wage types, which follow its change; stored ones that differ stay', async () => {
      const types = [
        { id: 1, name: 'Hours', value: 10, currency_format: 'EUR' },
        { id: 2, name: 'Extra', value: 5 },
      ];
      const profile = await profileIn('EUR', { wage_types: types });
      const path = `/wage-profiles/${profile}`;
      const wrong = [{ ...types[0], currency_format: 'CHF' }];
      assertErrors(await payroll.put(path, { wage_types: wrong }), 'reference_mismatch wage_types.0.currency_format');
      assertErrors(
        await client.call('POST', '/wage-profiles', { body: { name: 'New', wage_types: wrong } }),
        'reference_mismatch wage_types.0.currency_format',
      );
      const formats = ({ body, text }: ApiResponse) => {
        assert.ok(body.wage_types, text);
        return [body.currency, ...body.wage_types.map((type: Record<string, unknown>) => type.currency_format ?? null)];
      };
      const { body: read } = await client.call('GET', path);
      assert.deepEqual(formats(await payroll.put(path, { ...read, currency: 'CHF' })), ['CHF', 'CHF', null]);
      const stored = JSON.stringify([{ ...types[0], currency_format: 'USD' }]);
      await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        await kysely.updateTable('wage_profiles').set({ wage_types: stored }).where('id', '=', profile).execute();
      });
      const dearer = [{ ...types[0], currency_format: 'USD', value: 11 }];
      assert.deepEqual(formats(await payroll.put(path, { wage_types: dearer })), ['CHF', 'USD']);
      assert.deepEqual(formats(await payroll.put(path, { currency: 'GBP' })), ['GBP', 'USD']);
      const id = await payroll.assignment({ profile });
      const body = { assignment_id: id, wage_type_id: 1, value: 1 };
      assertErrors(await client.call('POST', '/wage-proposals', { body }), 'currency_mismatch wage_type_id');
    });
  });

  describe('the currency of a paysheet made by hand', () => {
    const make = (assignment_id: number, more: object = {}) => {
      const lines = [{ name: 'By hand', quantity: 2, rate: 10, amount: 20.005 }];
      return client.call('POST', '/paysheets', { body: { assignment_id, ...period, lines, ...more } });
    };

    it('is given or else that of the wage profile, is that of its lines, and does not change', async () => {
      const swiss = await profileIn('CHF');
      const [first, second, third] = [
        await payroll.approved({ profile: swiss }),
        await payroll.approved({ profile: swiss }),
        await payroll.approved({ profile: swiss }),
      ];
      for (const [assignment, more, currency] of [
        [first, {}, 'CHF'],
        [second, { wage_profile_id: await profileIn('SEK') }, 'SEK'],
        [third, { currency: 'NOK' }, 'NOK'],
      ] as const) {
        const { body: sheet, text } = await make(assignment, more);
        assert.deepEqual(
          [sheet.currency, sheet.lines[0].currency, sheet.lines[0].amount],
          [currency, currency, 20.005],
          text,
        );
        const path = `/paysheets/${sheet.id}`;
        assert.deepEqual((await payroll.put(path, sheet)).body, sheet);
        assertErrors(await payroll.put(path, { currency: 'USD' }), 'read_only currency');
        const foreign = [{ ...sheet.lines[0], currency: 'USD' }];
        assertErrors(await payroll.put(path, { lines: foreign }), 'read_only lines.0.currency');
        const { body: changed } = await payroll.put(path, { lines: [{ name: 'Other', amount: 1 }] });
        assert.deepEqual(changed.lines, [{ name: 'Other', amount: 1, currency }]);
      }
    });

    it('is that of the approved wages without either, though the wage profile has got another one since', async () => {
      const profile = await profileIn('BGN');
      const id = await payroll.approved({ profile });
      await payroll.put(`/wage-profiles/${profile}`, { currency: 'EUR' });
      const { body: sheet } = await make(id, {});
      assert.deepEqual([sheet.currency, sheet.lines[0].currency], ['BGN', 'BGN']);
    });
  });
});
