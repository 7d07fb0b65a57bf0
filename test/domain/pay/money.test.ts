import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { amountOf, minorUnitOf } from '../../../src/domain/pay/money.ts';
import { forAnyDatabase, newTenant } from '../../support/database.ts';
import { productOf } from './product.ts';

const decimal = (integers: number, places: number) =>
  fc
    .tuple(fc.boolean(), fc.nat(10 ** integers - 1), fc.nat(10 ** places - 1))
    .map(([isNegative, whole, part]) => `${isNegative ? '-' : ''}${whole}.${String(part).padStart(places, '0')}`);
const currency = fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF', 'XTS');
const line = fc.tuple(currency, decimal(3, 6), decimal(5, 4), decimal(1, 4));

const array = (texts: readonly string[]): string => `{${texts.join(',')}}`;

describe('an amount', () => {
  it('is the product, rounded once, half away from zero, to the minor unit of its currency', () => {
    for (const [given, want] of [
      [['EUR', '9.5', '13.33', '0.275'], '34.82'],
      [['EUR', '1', '1.005', '1'], '1.01'],
      [['EUR', '-1', '1.005', '1'], '-1.01'],
      [['JPY', '0.5', '1', '1'], '1'],
      [['KWD', '1', '1.0005', '1'], '1.001'],
      [['CLF', '1', '1.00005', '1'], '1.0001'],
    ] as [line: [string, string, string, string], want: string][])
      assert.equal(amountOf(...given), want);
    fc.assert(
      fc.property(line, ([code, ...numbers]) => {
        assert.equal(Number(amountOf(code, ...numbers)), productOf(numbers, minorUnitOf(code)));
      }),
    );
  });
});

forAnyDatabase((_, getDatabase) => {
  it('amounts and minor units are the same in SQL and in TypeScript', async () => {
    const database = getDatabase();
    const { id } = await newTenant(database);
    const lines = fc.sample(line, 500);
    const codes = Intl.supportedValuesOf('currency');
    await database.asOwner(id, async ({ system }) => {
      const { rows } = await sql<{ amount: string }>`
        select amount_of(currency, quantity, rate, factor) as amount
        from rows from (${sql.join(
          [0, 1, 2, 3].map(
            index =>
              sql`unnest(${array(lines.map(cells => cells[index] as string))}::${sql.raw(index === 0 ? 'text' : 'numeric')}[])`,
          ),
        )}) with ordinality l(currency, quantity, rate, factor, place) order by place`.execute(system);
      assert.deepEqual(
        rows.map(({ amount }) => Number(amount)),
        lines.map(cells => Number(amountOf(...cells))),
      );
      const units = await sql<{ code: string; places: number }>`
        select code, minor_unit(code) as places from unnest(${array(codes)}::text[]) code`.execute(system);
      assert.equal(units.rows.length, codes.length);
      for (const { code, places } of units.rows) assert.equal(places, minorUnitOf(code), code);
    });
  });
});
