import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { deriveWages, hasUnpaidWork, type WageType } from '../../../src/domain/pay/derive.ts';
import type { WorkedTimes } from '../../../src/domain/work/worked.ts';
import { countMinutes, wallClock } from './minutes.ts';
import { productOf } from './product.ts';

const DAYS = 31;

/** The days from which random months begin: with and without a change of clocks, at night and at midnight, by an hour and by half of one. */
const months = [
  ['Europe/Berlin', '2026-03-15'],
  ['Europe/Berlin', '2026-10-10'],
  ['Europe/Berlin', '2026-12-15'],
  ['America/Santiago', '2026-03-20'],
  ['America/Santiago', '2026-08-24'],
  ['Australia/Lord_Howe', '2026-09-20'],
].map(([zone = '', first = '']) => {
  const from = `${first}T00:00:00Z`;
  return { zone, from, day: Date.parse(from) / 86_400_000, clock: wallClock(zone, from, (DAYS + 4) * 1440) };
});

const time = fc.constantFrom('00:00', '01:59', '02:00', '02:15', '02:30', '03:00', '06:00', '20:00', '23:00', '23:30');
const window = fc.record(
  {
    week_days: fc.subarray([1, 2, 3, 4, 5, 6, 7]),
    from: time,
    to: time,
    holidays: fc.constantFrom(0 as const, 1 as const, 1 as const),
  },
  { requiredKeys: [] },
);
const wageTypes = fc.array(
  fc.record({
    windows: fc.array(window, { maxLength: 3 }),
    minimum_minutes: fc.option(fc.constantFrom(0, 90, 600)),
    type: fc.constantFrom('1' as const, '2' as const),
  }),
  { minLength: 1, maxLength: 4 },
);
/** Work from day 1, whose clock has been seen from midnight to midnight, in minutes. */
const pieces = fc.array(
  fc.record({
    start: fc.integer({ min: 1440, max: DAYS * 1440 }),
    length: fc.integer({ min: 0, max: 1000 }),
    pause: fc.option(fc.record({ from: fc.nat(500), length: fc.nat(120) })),
  }),
  { minLength: 1, maxLength: 6 },
);
const holidays = fc.uniqueArray(fc.integer({ min: 0, max: DAYS + 1 }), { maxLength: 8 });

it('wages are those of counting minute by minute: public holidays, midnights, both changes of clocks', () => {
  fc.assert(
    fc.property(fc.constantFrom(...months), wageTypes, pieces, holidays, (month, given, all, days) => {
      const types = given.map((more, index): WageType => ({ id: index + 1, name: 'x', value: 13.37, ...more }));
      const at = (minute: number): string => new Date(Date.parse(month.from) + minute * 60_000).toISOString();
      const works = all.map(({ start, length, pause }): WorkedTimes => {
        const from = Math.min(pause?.from ?? 0, length);
        return {
          start: at(start),
          end: at(start + length),
          break_start: pause && at(start + from),
          break_end: pause && at(start + Math.min(from + pause.length, length)),
        };
      });
      const named = new Set(days.map(day => month.day + day));
      const expected = countMinutes(works, types, named, month.clock);
      const terms = { currency: 'EUR', wageTypes: types, holidays: named };
      const worked = deriveWages(works, terms, month.zone);
      assert.deepEqual(
        worked.map(wage => [wage.wage_type_id, wage.factor, Number(wage.payable_amount)]),
        types.flatMap(({ id }) => {
          const minutes = expected.paid.get(id);
          const hours = minutes === undefined ? '' : productOf([minutes, '0.016666666666666667'], 6).toFixed(6);
          return minutes === undefined ? [] : [[id, hours, productOf([hours, 13.37], 2)]];
        }),
      );
      assert.equal(hasUnpaidWork(works, terms, month.zone), expected.hasUnpaid);
    }),
    { numRuns: 2_000 },
  );
});
