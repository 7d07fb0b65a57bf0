import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { deriveWages, type WageType } from '../../../src/domain/pay/derive.ts';
import { type PayShare, split } from '../../../src/domain/pay/split.ts';
import { lengthOf } from '../../../src/domain/time/interval.ts';
import { createClock } from '../../../src/domain/time/local-days.ts';
import { type WorkedTimes, workedIn } from '../../../src/domain/work/worked.ts';

const zone = 'Europe/Berlin';
const base: WageType = { id: 1, name: 'Base', value: 14.5 };
const night: WageType = {
  id: 2,
  name: 'Night',
  type: '2',
  value: 14.5,
  factor: 0.25,
  windows: [{ from: '23:00', to: '06:00' }],
};
const sunday: WageType = { id: 3, name: 'Sunday', type: '2', value: 14.5, factor: 0.5, windows: [{ week_days: [7] }] };
const fare: WageType = { id: 4, name: 'Fare', type: '3', value: 12.3 };
const asked: WageType = { id: 5, name: 'On proposal', type: '4', value: 50 };
const inEuros = (wageTypes: readonly WageType[]) => ({ currency: 'EUR', wageTypes });
const all = [base, night, sunday, fare, asked];

/** Work from and to moments of 2026 in UTC, such as `06-10 08:00`, with or without a break. */
const work = (...moments: readonly [string, string] | readonly [string, string, string, string]): WorkedTimes => {
  const [start, end, ...pause] = moments.map(moment => `2026-${moment.replace(' ', 'T')}:00Z`);
  assert.ok(start && end);
  return { start, end, break_start: pause[0] ?? null, break_end: pause[1] ?? null };
};

/** Each: the wage type's id, base value, factor and amount of each wage. */

const cases: readonly [says: string, works: WorkedTimes[], types: WageType[], want: string[]][] = [
  [
    'hours of a day',
    [work('06-10 08:00', '06-10 12:00')],
    all,
    ['1: 14.5 × 4.000000 = 58.00', '4: 12.3 × 1.000000 = 12.30'],
  ],
  [
    'Saturday evening to Sunday morning',
    [work('06-13 16:00', '06-14 02:00')],
    all,
    [
      '1: 14.5 × 10.000000 = 145.00',
      '2: 3.625 × 5.000000 = 18.13',
      '3: 7.25 × 4.000000 = 29.00',
      '4: 12.3 × 1.000000 = 12.30',
    ],
  ],
  [
    'a break in the night is paid by nothing',
    [work('06-10 20:00', '06-11 01:00', '06-10 21:30', '06-10 22:00')],
    [base, night],
    ['1: 14.5 × 4.500000 = 65.25', '2: 3.625 × 3.500000 = 12.69'],
  ],
  [
    'a break over the start of a window',
    [work('06-10 20:00', '06-11 01:00', '06-10 20:45', '06-10 21:15')],
    [night],
    ['2: 3.625 × 3.750000 = 13.59'],
  ],
  [
    'a night in spring, an hour less',
    [work('03-28 21:00', '03-29 05:00')],
    [base, night, sunday],
    ['1: 14.5 × 8.000000 = 116.00', '2: 3.625 × 6.000000 = 21.75', '3: 7.25 × 6.000000 = 43.50'],
  ],
  [
    'a night in autumn, an hour more',
    [work('10-24 20:00', '10-25 06:00')],
    [base, night, sunday],
    ['1: 14.5 × 10.000000 = 145.00', '2: 3.625 × 8.000000 = 29.00', '3: 7.25 × 8.000000 = 58.00'],
  ],
  [
    'two works of one assignment are one wage',
    [work('06-10 08:00', '06-10 10:00'), work('06-10 12:00', '06-10 13:30')],
    [base, fare],
    ['1: 14.5 × 3.500000 = 50.75', '4: 12.3 × 1.000000 = 12.30'],
  ],
  [
    'hours that are rounded, by the hours shown and not the seconds',
    [work('06-10 08:00', '06-10 08:50')],
    [{ ...base, value: 12.03 }],
    ['1: 12.03 × 0.833333 = 10.02'],
  ],
  [
    'half a cent goes up',
    [work('06-10 08:00', '06-10 08:30')],
    [{ ...base, value: 14.01 }],
    ['1: 14.01 × 0.500000 = 7.01'],
  ],
  [
    'a value that no binary fraction is',
    [work('06-10 08:00', '06-10 09:00')],
    [{ ...base, value: 1.005 }],
    ['1: 1.005 × 1.000000 = 1.01'],
  ],
  [
    'a value times a factor, which are not rounded before the amount is',
    [work('06-10 08:00', '06-10 17:30')],
    [{ ...base, value: 13.33, factor: 0.275 }],
    ['1: 3.66575 × 9.500000 = 34.82'],
  ],
  [
    'half a cent goes away from zero',
    [work('06-10 08:00', '06-10 08:30')],
    [{ ...base, value: 14.01, factor: -1 }],
    ['1: -14.01 × 0.500000 = -7.01'],
  ],
  [
    'minutes that are paid at least',
    [work('06-10 08:00', '06-10 09:00')],
    [
      { ...base, minimum_minutes: 180 },
      { ...night, minimum_minutes: 60 },
    ],
    ['1: 14.5 × 3.000000 = 43.50'],
  ],
  [
    'a minimum below the work is none',
    [work('06-10 08:00', '06-10 12:00')],
    [{ ...base, minimum_minutes: 180 }],
    ['1: 14.5 × 4.000000 = 58.00'],
  ],
  [
    'without a value nothing',
    [work('06-10 08:00', '06-10 12:00')],
    [
      { id: 1, name: 'Base' },
      { ...base, id: 2, value: null },
    ],
    [],
  ],
  ['without work nothing, not even what is flat', [work('06-10 08:00', '06-10 08:00')], all, []],
  ['no work time at all', [], all, []],
];

describe('wages derived from work', () => {
  for (const [says, works, types, want] of cases) {
    it(says, () => {
      const rows = deriveWages(works, inEuros(types), zone);
      const shown = rows.map(
        wage => `${wage.wage_type_id}: ${wage.base_value} × ${wage.factor} = ${wage.payable_amount}`,
      );
      assert.deepEqual(shown, want);
    });
  }
});

const day = 86_400;
const around = ['2026-03-27', '2026-06-12', '2026-10-23'].map(date => Date.parse(`${date}T00:00:00Z`) / 1000);
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

const works = fc
  .record({
    origin: fc.constantFrom(...around),
    parts: fc.array(fc.tuple(fc.nat(4 * day), fc.nat(day), fc.option(fc.tuple(fc.nat(1000), fc.nat(1000)))), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ origin, parts }) =>
    parts.map(([offset, length, pause]): WorkedTimes => {
      const at = (share: number): string => iso(origin + offset + Math.floor((length * share) / 1000));
      const [first, second] = pause ? [Math.min(...pause), Math.max(...pause)] : [null, null];
      return {
        start: at(0),
        end: at(1000),
        break_start: first === null ? null : at(first),
        break_end: second === null ? null : at(second),
      };
    }),
  );

const clock = fc.tuple(fc.nat(23), fc.nat(59)).map(parts => parts.map(part => String(part).padStart(2, '0')).join(':'));
const window = fc.record(
  { week_days: fc.uniqueArray(fc.integer({ min: 1, max: 7 })), from: clock, to: clock },
  { requiredKeys: [] },
);
const shares: fc.Arbitrary<PayShare[]> = fc
  .array(fc.array(window, { maxLength: 4 }), { maxLength: 5 })
  .map(lists => lists.map((windows, index) => ({ id: index + 1, windows })));
const zones = fc.constantFrom('Europe/Berlin', 'UTC', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago');

/** Whether the clock shows the time twice on that day: there only the first counts as reaching it. */
const isRepeated = (instant: number, timeZone: string): boolean =>
  [-3600, 3600, -1800, 1800].some(shift => {
    const local = (seconds: number) =>
      Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
        .toZonedDateTimeISO(timeZone)
        .toPlainDateTime();
    return local(instant).equals(local(instant + shift));
  });

describe('the split of the time worked', () => {
  it('neither loses nor adds a second', () => {
    fc.assert(
      fc.property(works, shares, zones, (times, wanted, timeZone) => {
        const worked = workedIn(times);
        assert.equal(lengthOf(split(worked, wanted, createClock(timeZone))), lengthOf(worked));
        const told = times.reduce((sum, { start, end, break_start, break_end }) => {
          const seconds = (to: string | null, from: string | null) =>
            to && from ? (Date.parse(to) - Date.parse(from)) / 1000 : 0;
          return sum + seconds(end, start) - seconds(break_end, break_start);
        }, 0);
        assert.equal(lengthOf(worked), told);
      }),
    );
  });

  it('gives a share without windows all of it, and one and its complement together no more and no less', () => {
    fc.assert(
      fc.property(works, clock, clock, zones, (times, from, to, timeZone) => {
        fc.pre(from !== to);
        const worked = workedIn(times);
        const whole = { id: 1, windows: [] };
        const parts = split(
          worked,
          [whole, { id: 2, windows: [{ from, to }] }, { id: 3, windows: [{ from: to, to: from }] }],
          createClock(timeZone),
        );
        const secondsOf = (id: number) => lengthOf(parts.filter(({ ids }) => ids.includes(id)));
        assert.equal(secondsOf(1), lengthOf(worked));
        assert.equal(secondsOf(2) + secondsOf(3), lengthOf(worked));
      }),
    );
  });

  it('depends neither on the order of the work nor on that of the wage types', () => {
    fc.assert(
      fc.property(works, shares, zones, (times, wanted, timeZone) => {
        const types = wanted.map(({ id, windows }): WageType => ({ id, name: 'x', value: 13.37 * id, windows }));
        const rows = deriveWages(times, inEuros(types), timeZone);
        assert.deepEqual(deriveWages(times.toReversed(), inEuros(types), timeZone), rows);
        assert.deepEqual(deriveWages(times, inEuros(types.toReversed()), timeZone), rows.toReversed());
      }),
    );
  });

  it('tells hours apart as the clock on the wall does, minute by minute', () => {
    fc.assert(
      fc.property(works, window, zones, (times, own, timeZone) => {
        const { week_days: days = [], from = '00:00', to = '00:00' } = own;
        // A window's evening and its morning after, of which the weekday is the day before's.
        const isIn = (instant: number): boolean => {
          const local = Temporal.Instant.fromEpochMilliseconds(instant * 1000).toZonedDateTimeISO(timeZone);
          const time = local.toPlainTime().toString().slice(0, 5);
          const on = (day: number): boolean => days.length === 0 || days.includes(day);
          const [today, yesterday] = [on(local.dayOfWeek), on(local.subtract({ days: 1 }).dayOfWeek)];
          return to <= from ? (today && time >= from) || (yesterday && time < to) : today && time >= from && time < to;
        };
        for (const { from: start, to: end, ids } of split(
          workedIn(times),
          [{ id: 1, windows: [own] }],
          createClock(timeZone),
        )) {
          const steps = [0, 0.2, 0.5, 0.8].map(share => start + Math.floor((end - start) * share));
          for (const instant of steps)
            if (!isRepeated(instant, timeZone)) assert.equal(ids.includes(1), isIn(instant), iso(instant));
        }
      }),
    );
  });

  it('tells the seven days of a week apart completely', () => {
    fc.assert(
      fc.property(works, zones, (times, timeZone) => {
        const days = [1, 2, 3, 4, 5, 6, 7].map(id => ({ id, windows: [{ week_days: [id] }] }));
        const worked = workedIn(times);
        for (const { ids } of split(worked, days, createClock(timeZone))) assert.equal(ids.length, 1);
      }),
    );
  });
});
