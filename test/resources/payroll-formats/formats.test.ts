import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Exports } from '../../domain/payroll/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const cells = [{ value: 'amount' }];

forAnyApp(client => {
  const payroll = new Exports(client);
  const tell = async (body: object, ...expected: string[]) =>
    assertErrors(await payroll.format({ cells, ...body }), ...expected);

  describe('a format of payroll files', () => {
    it('begins as UTF-8 with CRLF and semicolons', async () => {
      const { body, text } = await payroll.format({ cells });
      const { id: _, created_at, updated_at, ...rest } = body;
      assert.deepEqual(
        rest,
        {
          name: 'Payroll',
          external_id: null,
          encoding: 'utf-8',
          newline: 'crlf',
          delimiter: ';',
          quote: '"',
          decimal: '.',
          date: 'yyyy-MM-dd',
          header: null,
          footer: null,
          group_by: null,
          cells,
          variables: {},
          maps: {},
          required: [],
          file_name: '{{name}}.csv',
          escape_formulas: 0,
          preset: null,
          meta: null,
        },
        text,
      );
      assertErrors(
        await payroll.client.call('POST', '/payroll-formats', { body: {} }),
        'not_empty name',
        'not_empty cells',
      );
    });

    it('names only what exists', async () => {
      await tell({ cells: [{ value: 'salary' }] }, 'unknown_field cells.0.value');
      await tell({ cells: [{ value: 'unit', map: 'm' }] }, 'unknown_field cells.0.map');
      await tell({ cells: [{ text: '{{adviser}}' }] }, 'unknown_field cells.0.text');
      await tell({ header: '{{adviser}} {{totals}}' }, 'unknown_field header', 'unknown_field header');
      await tell({ footer: '{{x}}', file_name: '{{y}}' }, 'unknown_field footer', 'unknown_field file_name');
      await tell({ required: ['amount', 'x'] }, 'unknown_field required.1');
      await tell({ group_by: ['currency', 'quantity', 'x'] }, 'unknown_field group_by.1', 'unknown_field group_by.2');
      await tell(
        {
          group_by: ['employee_id'],
          cells: [...cells, { value: 'quantity' }, { value: 'lastname' }],
          required: ['date'],
        },
        'unknown_field required.0',
        'unknown_field cells.2.value',
      );
      assert.equal(
        (await payroll.format({ cells, header: '{{ adviser }} {{period_start}}', variables: { adviser: '7' } })).status,
        201,
      );
    });

    it('has cells with one value, and numbers where these are formatted', async () => {
      await tell({ cells: [{}] }, 'not_empty cells.0.value');
      await tell({ cells: [{ value: 'unit', text: 'x' }] }, 'unknown_field cells.0.text');
      await tell(
        { cells: [{ value: 'lastname', scale: 2, digits: 3 }] },
        'invalid_type cells.0.digits',
        'invalid_type cells.0.scale',
      );
      await tell({ cells: [{ value: 'amount', unit: 'minutes' }] }, 'invalid_type cells.0.unit');
      await tell({ cells: [{ value: 'quantity', map: 'm', scale: 2 }], maps: { m: {} } }, 'invalid_type cells.0.scale');
      await tell({ cells: [] }, 'not_empty cells');
      await tell({ delimiter: 'a' }, 'invalid_format delimiter');
      await tell({ delimiter: '"' }, 'invalid_format quote');
      assert.equal((await payroll.format({ cells, delimiter: null, quote: null })).status, 201);
      await tell({ variables: { adviser: 7 } }, 'invalid_type variables.adviser');
      await tell({ maps: { m: { a: 7 } } }, 'invalid_type maps.m.a');
    });

    it('is checked as a whole when it is changed', async () => {
      const { id } = (await payroll.format({ cells, variables: { a: '1' }, header: '{{a}}' })).body;
      assertErrors(await payroll.put(`/payroll-formats/${id}`, { variables: {} }), 'unknown_field header');
      assert.equal((await payroll.put(`/payroll-formats/${id}`, { variables: {}, header: null })).status, 200);
    });

    it('stays while an export names it', async () => {
      const { run } = await payroll.exportable();
      const { id } = (await payroll.format({ cells })).body;
      assert.equal((await payroll.export(run, id)).status, 201);
      const removal = await client.call('DELETE', `/payroll-formats/${id}`);
      assert.deepEqual([removal.status, removal.body.code], [409, 'still_referenced']);
    });

    it('is named by its external id when a run is exported', async () => {
      const { run } = await payroll.exportable();
      await payroll.format({ cells, external_id: 'PF-77' });
      const body = { payroll_format: { external_id: 'PF-77' } };
      const { status, text } = await client.call('POST', `/pay-runs/${run}/exports`, { body });
      assert.equal(status, 201, text);
    });
  });
});
