import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Client } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { Billing } from '../billing/scene.ts';
import { start } from '../work/scene.ts';
import { Corrections } from './corrections.ts';
import { paid_on, period } from './scene.ts';

const { CORRECTION_SEQUENCES = 4, CORRECTION_SEED } = process.env;

/** How many sequences each property tries on each database, and from which seed; docs/testing.md has both. */
const trials = { numRuns: Number(CORRECTION_SEQUENCES), ...(CORRECTION_SEED && { seed: Number(CORRECTION_SEED) }) };

/** What somebody does; numbers choose among what there is. */
const which = fc.nat(11);
const deeds = fc.oneof(
  { weight: 4, arbitrary: fc.record({ deed: fc.constant('reopen' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ deed: fc.constant('rework' as const), which, minutes: fc.integer({ min: 1, max: 540 }) }),
  },
  { weight: 5, arbitrary: fc.record({ deed: fc.constant('approve' as const), which }) },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('withdraw' as const), which }) },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('approve all' as const), atomic: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      deed: fc.constant('run' as const),
      period_start: fc.constantFrom('2026-06-01', '2026-07-01'),
      include: fc.subarray(['regular', 'late', 'corrections'], { minLength: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ deed: fc.constant('status' as const), which, status: fc.constantFrom(1, 2, 2, 3, 3) }),
  },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('delete' as const), which }) },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('take out' as const), which, sheet: which }) },
  {
    weight: 1,
    arbitrary: fc.record({ deed: fc.constant('disable' as const), which, is_disabled: fc.constantFrom(0, 1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      deed: fc.constant('add' as const),
      which,
      payable_amount: fc.integer({ min: 1, max: 900 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ deed: fc.constant('currency' as const), currency: fc.constantFrom('EUR', 'JPY') }),
  },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('pay' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      deed: fc.constant('bill' as const),
      which,
      billed_on: fc.constantFrom(paid_on, paid_on, null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      deed: fc.constant('write by hand' as const),
      which,
      pairs: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('delete by hand' as const), which }) },
);
type Deed = typeof deeds extends fc.Arbitrary<infer Value> ? Value : never;

forEachApp((_, app) => {
  /** Two assignments whose approved work a run has paid, and one that is approved only. */
  const prepare = async (payroll: Corrections) => {
    const profile = await payroll.profile();
    const ids = [await payroll.approved({ profile }), await payroll.approved({ profile })];
    await payroll.payRun(await payroll.run(profile));
    return { profile, ids: [...ids, await payroll.approved({ profile })] };
  };

  /** A paysheet whose first line is a wage, and whose second line no correction concerns. */
  const byHand = (wage_profile_id: number, assignment_id: number, pairs: number) => {
    const hours = { wage_type_id: 1, name: 'Base hour', unit: 'hour', rate: 14.5, factor: 1 };
    const lines = [
      { ...hours, quantity: 2 * pairs, amount: 29 * pairs },
      { name: 'Bonus', amount: 10 },
    ];
    return { wage_profile_id, assignment_id, ...period, lines, status: 3, paid_on };
  };

  /** Does it, and requires that it is carried out or rejected. */
  const perform = async (payroll: Corrections, { profile, ids }: Awaited<ReturnType<typeof prepare>>, deed: Deed) => {
    const id = 'which' in deed ? Number(ids[deed.which % ids.length]) : 0;
    const oneOf = async (path: string, number: number): Promise<number> => {
      const records = await payroll.list(path);
      return records[number % Math.max(records.length, 1)]?.id ?? 999_999;
    };
    const runs = `/pay-runs?wage_profile_id=${profile}&fields=id`;
    const { deed: name, ...body } = deed;
    const response = await (async () => {
      if (name === 'reopen') return payroll.reopen(id);
      if (name === 'approve') return payroll.approve(id, '?force=true');
      if (name === 'withdraw') return payroll.withdraw(id);
      if (name === 'approve all') {
        const approved_by_planner_id = await payroll.staffing.planner();
        return payroll.put('/assignments/approve?force=true', { ...body, assignment_ids: ids, approved_by_planner_id });
      }
      if (name === 'currency') return payroll.put(`/wage-profiles/${profile}`, body);
      if (name === 'run') return payroll.create({ wage_profile_id: profile, period_end: '2099-12-31', ...body });
      if (name === 'pay') return payroll.put(`/assignments/${id}/pay`, { paid_on });
      if (name === 'add')
        return payroll.put(`/assignment-wages/${await oneOf(`/assignment-wages?assignment_id=${id}`, 0)}`, {
          base_value: deed.payable_amount / 100,
        });
      if (name === 'disable') {
        const wage = await oneOf(`/assignment-wages?assignment_id=${id}`, deed.which);
        return payroll.put(`/assignment-wages/${wage}`, { is_disabled: deed.is_disabled });
      }
      if (name === 'bill')
        return payroll.put(
          `/assignment-billings/${await oneOf(`/assignment-billings?assignment_id=${id}`, deed.which)}`,
          { billed_on: deed.billed_on },
        );
      if (name === 'write by hand')
        return payroll.client.call('POST', '/paysheets', { body: byHand(profile, id, deed.pairs) });
      if (name === 'delete by hand')
        return payroll.client.call('DELETE', `/paysheets/${await oneOf(`/paysheets?assignment_id=${id}`, 0)}`);
      if (name === 'rework') {
        const work = await oneOf(`/work-times?event_function_employee_id=${id}`, 0);
        const end = new Date(Date.parse(start) + deed.minutes * 60_000).toISOString();
        return payroll.put(`/work-times/${work}`, { end });
      }
      const run = await oneOf(runs, deed.which);
      if (name === 'delete') return payroll.remove(run);
      if (name === 'status') return payroll.setRun(run, { status: deed.status, ...(deed.status === 3 && { paid_on }) });
      const sheet = await oneOf(`/paysheets?pay_run_id=${run}&fields=id`, deed.sheet);
      return payroll.client.call('DELETE', `/pay-runs/${run}/paysheets/${sheet}`);
    })();
    assert.ok(response.status < 500, `${JSON.stringify(deed)}: ${response.text}`);
  };

  /** Requires that what is paid of approved, corrected work is what its wages say, and what is billed is what its work is. */
  const check = ({ database, tenant }: Client) =>
    database.asOwner(tenant.id, async ({ system }) => {
      const { rows } = await sql`
        with paid as (
          select s.assignment_id, line ->> 'currency' as currency, (line ->> 'amount')::numeric as amount
          from paysheets s cross join jsonb_array_elements(s.lines) line
          where s.tenant_id = ${tenant.id} and (s.worked_on is not null or line ->> 'wage_type_id' is not null)
        ), owed as (
          select assignment_id, currency, payable_amount from assignment_wages where tenant_id = ${tenant.id} and not is_disabled
        ), sums as (
          select assignment_id, currency, sum(amount) as amount
          from (select * from paid union all select assignment_id, currency, -payable_amount from owed) x group by 1, 2
        )
        select 'pay' as what, assignment_id, currency, amount from sums u
        join assignments a on a.tenant_id = ${tenant.id} and a.id = u.assignment_id and a.is_approved and a.correction is null
        where amount <> 0
          and exists (
            select from paysheets s
            where s.tenant_id = ${tenant.id} and s.assignment_id = a.id and (s.kind = 'correction' or s.worked_on is not null)
          )
        union all
        select 'product', assignment_id, currency, amount from (
          select s.assignment_id, s.currency, (line ->> 'amount')::numeric as amount,
            amount_of(s.currency, (line ->> 'quantity')::numeric, (line ->> 'rate')::numeric, (line ->> 'factor')::numeric) as product
          from paysheets s cross join jsonb_array_elements(s.lines) line where s.tenant_id = ${tenant.id}
        ) l where amount <> product
        union all
        select 'run', r.id, null, r.total from pay_runs r
        where r.tenant_id = ${tenant.id} and (r.paysheet_count, coalesce((select sum((t ->> 'amount')::numeric) from jsonb_array_elements(r.totals) t), 0))
          <> (select count(*), coalesce(sum(total), 0) from paysheets s where s.tenant_id = r.tenant_id and s.pay_run_id = r.id)
        union all
        select 'billing', a.id, null, b.quantity from assignments a
        join (
          select assignment_id, sum(quantity) as quantity, sum(billable_amount) as amount from assignment_billings
          where tenant_id = ${tenant.id} group by 1
        ) b on b.assignment_id = a.id
        join (
          select event_function_employee_id as id, greatest(round(sum(extract(epoch from "end" - start)) / 3600, 4), 4) as hours
          from work_times where tenant_id = ${tenant.id} group by 1
        ) w on w.id = a.id
        where a.tenant_id = ${tenant.id} and a.is_approved and (b.quantity, b.amount) <> (w.hours, round(w.hours * 28.5, 2))
      `.execute(system);
      assert.deepEqual(rows, []);
    });

  /** A tenant of its own for each sequence: `check` reads all of it. */
  const caller = async (): Promise<Corrections> => {
    const client = await app.newClient();
    await new Billing(client).terms(null, [{ rate: 28.5, min_quantity: 4 }]);
    return new Corrections(client);
  };

  it('what is paid of corrected work is what its wages say, whatever happens in whichever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deeds, { minLength: 8, maxLength: 24 }), async all => {
        const payroll = await caller();
        const scene = await prepare(payroll);
        for (const deed of all) {
          await perform(payroll, scene, deed);
          if (deed.deed.startsWith('approve') || deed.deed === 'take out') await check(payroll.client);
        }
        await check(payroll.client);
      }),
      trials,
    );
  });

  it('the same holds if two do it at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(deeds, deeds), { minLength: 4, maxLength: 10 }), async pairs => {
        const payroll = await caller();
        const scene = await prepare(payroll);
        for (const pair of pairs) {
          await Promise.all(pair.map(deed => perform(payroll, scene, deed)));
          await check(payroll.client);
        }
      }),
      { ...trials, endOnFailure: true },
    );
  });
});
