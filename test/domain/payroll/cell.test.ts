import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { type PayrollLine, Unwritable, writeValue } from '../../../src/domain/payroll/cell.ts';
import type { PayrollFileCell, PayrollFileFormat } from '../../../src/domain/payroll/format.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Exports } from './scene.ts';

const format = {
  encoding: 'windows-1252',
  delimiter: ';',
  quote: '"',
  decimal: ',',
  date: 'dd.MM.yyyy',
  maps: {},
  variables: {},
  escape_formulas: false,
} as unknown as PayrollFileFormat;

const write = (cell: PayrollFileCell, value: string, hours = '0', more: object = {}): string => {
  const line: PayrollLine = { values: { [cell.value as string]: value }, hours };
  return writeValue(cell, line, { ...format, ...more });
};

test('a number is rounded half away from zero, and filled with zeros in front', () => {
  const amount = (value: string, more: object) => write({ value: 'amount', ...more } as PayrollFileCell, value);
  assert.equal(amount('8', { scale: 2 }), '8,00');
  assert.equal(amount('2.345', { scale: 2 }), '2,35');
  assert.equal(amount('-2.345', { scale: 2 }), '-2,35');
  assert.equal(amount('-0.004', { scale: 2 }), '0,00');
  assert.equal(amount('-7.5', { digits: 4 }), '-0007,5');
  assert.equal(amount('12.300000', {}), '12,3');
  assert.equal(amount('8', { scale: 2, width: 8, pad: '0', align: 'right' }), '00008,00');
});

test('only hours are converted', () => {
  const quantity = (unit: string, value: string, hours: string) =>
    write({ value: 'quantity', unit } as PayrollFileCell, value, hours);
  assert.equal(quantity('minutes', '8.333333', '8.333333'), '500');
  assert.equal(quantity('hundredths', '8.333333', '8.333333'), '833');
  assert.equal(quantity('hundredths', '3', '0'), '3');
  assert.equal(quantity('hours', '8.25', '8.25'), '8,25');
});

test('texts that a spreadsheet would read as a formula are escaped where the format says so', () => {
  for (const text of ['=A1', '@x', '+A1', '-1+cmd|x', "'=A1"])
    for (const [escape_formulas, mark] of [
      [true, "'"],
      [false, ''],
    ] as const)
      assert.equal(write({ value: 'lastname' }, text, '0', { escape_formulas }), `${mark}${text}`);
  for (const text of ['Vogt', '-7', '+4,5', 'A-1'])
    assert.equal(write({ value: 'lastname' }, text, '0', { escape_formulas: true }), text);
});

test('a cell has exactly its width or is rejected, and each character of the encoding stays what it is', () => {
  const character = fc.constantFrom(...'Aäß€ ;"ŁŽ—');
  fc.assert(
    fc.property(
      fc.array(character, { maxLength: 12 }).map(all => all.join('')),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom('left' as const, 'right' as const),
      (text, width, align) => {
        const cell = { value: 'lastname', width, align, pad: '_' } as PayrollFileCell;
        try {
          const written = write(cell, text);
          assert.equal([...written].length, width);
          assert.equal(align === 'left' ? written.slice(0, text.length) : written.slice(width - text.length), text);
          assert.ok(!text.includes('Ł'));
        } catch (error) {
          if (!(error instanceof Unwritable)) throw error;
          assert.equal(error.code, text.length > width ? 'too_long' : 'invalid_character');
          assert.ok(text.length > width || text.includes('Ł'));
        }
      },
    ),
  );
});

forAnyApp(client => {
  const payroll = new Exports(client);

  describe('grouped lines', () => {
    it('have the sums of quantities and amounts', async () => {
      const { run } = await payroll.exportable({ external_id: 'G-1' });
      const bytes = await payroll.written(run, {
        group_by: ['employee_external_id'],
        cells: [{ value: 'employee_external_id' }, { value: 'amount', scale: 2 }],
      });
      assert.equal(bytes.toString(), 'G-1;157.30\r\n');
    });

    it('never sum amounts of several currencies', async () => {
      const { run } = await payroll.exportable({ external_id: 'G-2' });
      const [sheet] = await payroll.list(`/paysheets?pay_run_id=${run}`);
      await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        const { id: _, ...row } = sheet;
        const own = await kysely
          .selectFrom('paysheets')
          .selectAll()
          .where('id', '=', sheet.id)
          .executeTakeFirstOrThrow();
        const { tenant_id: __, total: ___, ...copy } = own as typeof own & { total: unknown };
        assert.ok(row);
        const values = {
          ...copy,
          id: 90_000_001,
          kind: 'correction',
          currency: 'CHF',
          lines: JSON.stringify(own.lines),
        };
        await kysely
          .insertInto('paysheets')
          .values(values as never)
          .execute();
      });
      const bytes = await payroll.written(run, {
        group_by: ['employee_external_id'],
        cells: [{ value: 'employee_external_id' }, { value: 'amount', scale: 2 }],
      });
      assert.equal(bytes.toString(), 'G-2;157.30\r\n'.repeat(2));
    });
  });
});
