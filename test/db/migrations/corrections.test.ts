import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../support/earlier-schema.ts';

/** An approved assignment on a pay run, whose paysheet has fewer facts in its lines than its wages have, and a paysheet made by hand. */
const stored = `
  insert into clients (tenant_id, id, company) values (1, 1, 'First');
  insert into projects (tenant_id, id, name, client_id) values (1, 1, 'Summer', 1);
  insert into events (tenant_id, id, project_id, name, start, "end") values (1, 1, 1, 'Gala', '2026-06-12', '2026-06-13');
  insert into wage_profiles (tenant_id, id, name, currency, wage_types) values (1, 1, 'Hourly', 'EUR', '[]');
  insert into functions (tenant_id, id, name) values (1, 1, 'Service');
  insert into event_functions (tenant_id, id, event_id, function_id, quantity) values (1, 1, 1, 1, 9);
  insert into employees (tenant_id, id, firstname, lastname) values (1, 1, 'Ada', 'Vogt'), (1, 2, 'Bo', 'Vogt');
  insert into assignments (tenant_id, id, event_function_id, employee_id, status, is_approved, approved_wage_profile_id) values
    (1, 1, 1, 1, 7, true, 1), (1, 2, 1, 2, 7, true, 1);
  insert into assignment_wages (tenant_id, id, assignment_id, wage_profile_id, payable_amount, base_value, factor, wage_type_id, "wage_type.id",
    "wage_type.factor", "wage_type_value.value", "wage_type.name", "wage_type.external_id", "wage_type_value.unit", derived_base_value,
    derived_factor, is_disabled) values
    (1, 1, 1, 1, 130.5, 14.5, 9, 1, 1, 1, 14.5, 'Base', 'LA-1', 'hour', 14.5, 9, false),
    (1, 2, 1, 1, 5, null, 1, null, null, null, null, null, null, null, null, null, true);
  insert into pay_runs (tenant_id, id, name, period_start, period_end) values (1, 1, 'June', '2026-06-01', '2026-06-30');
  insert into paysheets (tenant_id, id, assignment_id, pay_run_id, period_start, period_end, lines, paid_employee_id) values
    (1, 1, 1, 1, '2026-06-01', '2026-06-30', '[{"name": "Base", "amount": 130.5}]', 1),
    (1, 2, 2, null, '2026-06-01', '2026-06-30', '[{"name": "By hand", "amount": 7}]', null);`;

describe('the migration of corrections, by an owner that is bound by row security', () => {
  it('gives the paysheets of pay runs the lines that the runs have shown, and leaves those made by hand', async context => {
    const { client, read, finish } = await databaseBefore(context, '0034-corrections');
    await client.query(`set app.tenant_id = '1'; ${stored}`);
    await finish();
    assert.deepEqual(await read('select kind, lines, total::float from paysheets order by id'), [
      [
        'regular',
        [
          {
            wage_type_id: 1,
            name: 'Base',
            quantity: 9,
            unit: 'hour',
            rate: 14.5,
            factor: 1,
            amount: 130.5,
            currency: 'EUR',
            wage_profile_id: 1,
            wage_type_external_id: 'LA-1',
          },
        ],
        130.5,
      ],
      ['regular', [{ name: 'By hand', amount: 7 }], 7],
    ]);
    assert.deepEqual(await read('select resource, id::int, change, fields from journal'), [
      ['paysheets', 1, 'updated', ['lines']],
    ]);
    assert.deepEqual(await read('select include from pay_runs'), [[['regular']]]);
    assert.deepEqual(await read('select wage_type_external_id, amount::float from pay_run_lines_view'), [
      ['LA-1', 130.5],
    ]);
  });
});
