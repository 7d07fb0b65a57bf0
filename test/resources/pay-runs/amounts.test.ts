import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Billing } from '../../domain/billing/scene.ts';
import { productOf } from '../../domain/pay/product.ts';
import { PayRuns } from '../../domain/pay/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const decimal = (most: number) => fc.nat(most * 10_000).map(units => units / 10_000);
/** The terms and the minutes of one assignment; the factors of surcharges have up to four decimal places. */
const cases = fc.record({
  currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
  minutes: fc.integer({ min: 1, max: 9 * 60 }),
  rates: fc.tuple(decimal(90), decimal(90), decimal(90)),
  factors: fc.tuple(decimal(2), decimal(2), decimal(2)),
  edited: fc.record({ base_value: decimal(90), factor: fc.nat(12_000_000).map(units => units / 1_000_000) }),
  given: decimal(500),
});
type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

const decimals: Readonly<Record<string, number>> = { EUR: 2, JPY: 0, KWD: 3 };

forAnyApp((_, app) => {
  /** Approves an assignment with derived, edited, proposed and added wages, and bills it. */
  const prepare = async (payroll: Billing, { currency, minutes, rates, factors, edited, given }: Case) => {
    const types = rates.map((value, index) => ({
      id: index + 1,
      name: `Type ${index + 1}`,
      value,
      factor: factors[index],
    }));
    const wage_types = [types[0], { ...types[1], type: '2' }, { ...types[2], type: '4' }];
    const profile = await payroll.post('wage-profiles', { name: 'Random', currency, wage_types });
    const id = await payroll.assignment({ profile });
    const end = new Date(Date.parse('2026-06-12T16:00:00Z') + minutes * 60_000).toISOString();
    await payroll.work(id, { start: '2026-06-12T16:00:00Z', end });
    const [, second] = await payroll.list(`/assignment-wages?assignment_id=${id}&sort=id`);
    await payroll.put(`/assignment-wages/${second.id}`, edited);
    const proposal = await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 3, value: given });
    const accepted = await payroll.put(`/wage-proposals/${proposal}`, { status: 2 });
    await payroll.post('assignment-wages', { assignment_id: id, payable_amount: given });
    const both = await payroll.post('assignment-wages', { assignment_id: id, payable_amount: given, ...edited });
    await payroll.post('assignment-wages', { assignment_id: id, ...edited });
    const approved = await payroll.approve(id);
    assert.equal(approved.status, 200, approved.text);
    const [kept] = await payroll.list(`/assignment-wages?id=${both}`);
    assert.equal(
      kept.payable_amount,
      productOf([given], decimals[currency] ?? 2),
      'The approval keeps a given amount.',
    );
    return { id, profile, pay: approved.body.pay_amount, proposed: accepted.body.amount };
  };

  const multiplies = (line: Record<string, number>, amount: number, currency: string): void => {
    const factors = [line.quantity, line.rate, line.factor].map(Number);
    assert.equal(amount, productOf(factors, decimals[currency] ?? 2), JSON.stringify(line));
  };

  it('every line of pay runs, paysheets and billings multiplies to its amount, and all amounts to their sums', async () => {
    const client = await app.newClient();
    const payroll = new Billing(client);
    const runs = new PayRuns(client);
    for (const random of fc.sample(cases, 24)) {
      const { currency } = random;
      const terms = await payroll.terms(null, [{ rate: random.rates[0], factor: random.factors[0] }], { currency });
      const { id, profile, pay, proposed } = await prepare(payroll, random);
      const run = await runs.run(profile);
      const lines = await payroll.list(`/pay-runs/${run}/lines`);
      const [sheet] = await payroll.list(`/paysheets?pay_run_id=${run}`);
      assert.equal(lines.length, 6);
      for (const line of [...lines, ...sheet.lines]) multiplies(line, line.amount, line.currency);
      assert.deepEqual(
        sheet.lines.map(({ quantity, rate, factor, amount }: Record<string, number>) => [
          quantity,
          rate,
          factor,
          amount,
        ]),
        lines.map(({ quantity, rate, factor, amount }) => [quantity, rate, factor, amount]),
      );
      assert.deepEqual([...new Set([sheet.currency, ...lines.map(line => line.currency)])], [currency]);
      const billings = await payroll.list(`/assignment-billings?assignment_id=${id}`);
      for (const billing of billings) multiplies(billing, billing.billable_amount, billing.currency);
      assert.equal(billings.length, 1);
      assert.equal(lines.find(line => line.wage_type_name === 'Type 3')?.amount, proposed);
      const [{ total, totals }] = await payroll.list(`/pay-runs?id=${run}`);
      assert.deepEqual([sheet.total, total, totals], [pay, pay, [{ currency, amount: pay }]]);
      await payroll.put(`/billing-profiles/${terms}`, { is_default: 0 });
    }
  });
});
