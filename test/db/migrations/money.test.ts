import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../support/earlier-schema.ts';

/** What a tenant of an earlier release had: profiles whose currency has changed since, amounts that were not rounded. */
const stored = `
  insert into clients (tenant_id, id, company) values (1, 1, 'First'), (1, 2, 'Second');
  insert into projects (tenant_id, id, name, client_id) values (1, 1, 'Summer', 1);
  insert into events (tenant_id, id, project_id, client_id, name, start, "end") values
    (1, 1, 1, null, 'Gala', '2026-06-12', '2026-06-13'), (1, 2, 1, 2, 'Fair', '2026-06-12', '2026-06-13');
  insert into wage_profiles (tenant_id, id, name, currency, is_default, wage_types) values
    (1, 1, 'Euros now', 'EUR', true, '[{"id": 1, "name": "Hours", "value": 13.33, "factor": 0.275, "unit": "hour"}]'),
    (1, 2, 'Yen', 'JPY', false, '[]');
  insert into functions (tenant_id, id, name) values (1, 1, 'Service');
  insert into event_functions (tenant_id, id, event_id, function_id, quantity) values (1, 1, 1, 1, 9), (1, 2, 2, 1, 9);
  insert into employees (tenant_id, id, firstname, lastname) values (1, 1, 'Ada', 'Vogt');
  insert into assignments (tenant_id, id, event_function_id, employee_id, status, is_approved, pay_amount, approved_wage_profile_id) values
    (1, 1, 1, 1, 7, true, 34.83, 1), (1, 2, 2, 1, 7, false, null, null);
  insert into assignment_wages (tenant_id, id, assignment_id, wage_profile_id, payable_amount, base_value, factor, wage_type_id, "wage_type.id",
    "wage_type.factor", "wage_type_value.value", "wage_type.currency_format", derived_base_value, derived_factor) values
    (1, 1, 1, 1, 34.83, 3.6658, 9.5, 1, 1, 0.275, 13.33, 'BGN', 3.6658, 9.5),
    (1, 2, 1, null, 0.345, null, 1, null, null, null, null, null, null, null),
    (1, 3, 1, 2, 100, 10, 2, null, null, null, null, '#,##0 yen', null, null),
    (1, 4, 2, null, 29.33, 3.6658, 8, 1, 1, 0.275, 13.33, null, 3.6658, 9.5),
    (1, 5, 1, 1, 3.67, 3.6658, 1, null, 1, 0.275, 13.33, 'EUR', null, null);
  insert into wage_proposals (tenant_id, id, assignment_id, wage_type_id, value, status) values
    (1, 1, 1, 1, 9.5, 2), (1, 2, 1, 7, 9.5, 2), (1, 3, 2, 1, 9.5, 1), (1, 4, 1, 1, 9999999999, 2);
  insert into pay_runs (tenant_id, id, name, period_start, period_end) values (1, 1, 'June', '2026-06-01', '2026-06-30');
  insert into paysheets (tenant_id, id, assignment_id, pay_run_id, currency, period_start, period_end, lines, event_function_id) values
    (1, 1, 1, null, 'CHF', '2026-06-01', '2026-06-30', '[{"name": "A", "amount": 1}, {"name": "B", "amount": 2}]', null),
    (1, 2, 2, 1, 'EUR', '2026-06-01', '2026-06-30', '[]', 2);
  insert into billing_profiles (tenant_id, id, name) values (1, 1, 'Standard');
  insert into billing_components (tenant_id, id, billing_profile_id, name, rate) values (1, 1, 1, 'Hour', 20);
  insert into assignment_billings (tenant_id, id, assignment_id, billing_profile_id, billing_component_id, quantity, unit, rate, billable_amount)
    values (1, 1, 1, 1, 1, 1, 'hour', 20, 20), (1, 2, 2, 1, 1, 1, 'hour', 20, 20);`;

/** The line that the paysheet of the pay run got from its wage by a later migration. */
const lineOfRun = {
  wage_type_id: 1,
  name: 'Wage 4',
  quantity: 8,
  unit: null,
  rate: 3.6658,
  factor: 1,
  amount: 29.33,
  currency: 'EUR',
  wage_profile_id: null,
  wage_type_external_id: null,
};

describe('the migrations of amounts, by an owner that is bound by row security', () => {
  it('keep what is shown: currencies, lines, terms of accepted proposals, clients and projects', async context => {
    const { client, read, finish } = await databaseBefore(context, '0022-money');
    await client.query(`set app.tenant_id = '1'; ${stored}`);
    await finish();
    assert.deepEqual(
      await read(`select id::int, currency, payable_amount::float, base_value::float, line_quantity::float, line_rate::float,
        line_factor::float from assignment_wages order by id`),
      [
        [1, 'BGN', 34.83, 3.6658, 9.5, 13.33, 0.275],
        [2, 'EUR', 0.35, null, 1, 0.35, 1],
        [3, 'JPY', 100, 10, 1, 100, 1],
        [4, 'EUR', 29.33, 3.6658, 8, 3.6658, 1],
        [5, 'EUR', 3.67, 3.6658, 1, 13.33, 0.275],
      ],
    );
    assert.deepEqual(await read(`select id::int, fields from journal where resource = 'assignment-wages'`), [
      [2, ['payable_amount']],
    ]);
    assert.deepEqual(
      await read(
        `select id::int, currency, "wage_type.name", unit, amount::float from wage_proposals_view order by id`,
      ),
      [
        [1, 'EUR', 'Hours', 'hour', 34.83],
        [2, 'EUR', null, null, null],
        [3, 'EUR', 'Hours', 'hour', 34.82],
        [4, 'EUR', 'Hours', 'hour', null],
      ],
    );
    assert.deepEqual(
      await read(`select lines, total::float, project_id::int, client_id::int from paysheets order by id`),
      [
        [
          [
            { name: 'A', amount: 1, currency: 'CHF' },
            { name: 'B', amount: 2, currency: 'CHF' },
          ],
          3,
          null,
          null,
        ],
        [[lineOfRun], 29.33, 1, 2],
      ],
    );
    assert.deepEqual(await read('select project_id::int, client_id::int from assignment_billings order by id'), [
      [1, 1],
      [1, 2],
    ]);
    await client.query('update wage_profiles set wage_types = $1 where id = 1', ['[]']);
    assert.deepEqual(await read('select "wage_type.name", unit, amount::float from wage_proposals_view where id = 1'), [
      ['Hours', 'hour', 34.83],
    ]);
  });
});
