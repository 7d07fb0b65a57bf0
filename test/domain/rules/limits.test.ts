import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Times, WorkPiece } from '../../../src/domain/rules/piece.ts';
import type { KindName } from '../../../src/domain/rules/rule.ts';
import { judge, piece, rule } from './scene.ts';

interface Pair {
  readonly parameters: object;
  /** Exactly the limit. */
  readonly passes: readonly WorkPiece[];
  /** A minute, day or night more. */
  readonly breaks: readonly WorkPiece[];
  readonly actual: number;
  readonly limit: number;
}

const shift = (day: number, hours = '08:00 – 06-@ 12:00'): WorkPiece =>
  piece(day, `06-@ ${hours}`.replaceAll('@', String(day).padStart(2, '0')));
const nightOf = (day: number): WorkPiece => shift(day, `22:00 – 06-${String(day + 1).padStart(2, '0')} 02:00`);
const days = (first: number, last: number, of = shift): WorkPiece[] =>
  Array.from({ length: last - first + 1 }, (_, index) => of(first + index));
/** A week from Monday 1 June: 5 days of 4 hours, then a piece of so many minutes. */
const week = (minutes: number): WorkPiece[] => [...days(1, 5), shift(6, `08:00 – 06-@ ${clock(480 + minutes)}`)];
const clock = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0')).join(':');

const pairs: readonly (readonly [kind: KindName, says: string, pair: Pair])[] = [
  [
    'rest',
    'between two pieces',
    {
      parameters: { minutes: 660 },
      passes: [piece(1, '06-12 08:00 – 06-12 20:00'), piece(2, '06-13 07:00 – 06-13 08:00')],
      breaks: [piece(1, '06-12 08:00 – 06-12 20:01'), piece(2, '06-13 07:00 – 06-13 08:00')],
      actual: 659,
      limit: 660,
    },
  ],
  [
    'rest',
    'over the change to summer time',
    {
      parameters: { minutes: 660 },
      passes: [piece(1, '03-28 08:00 – 03-28 20:00'), piece(2, '03-29 07:00 – 03-29 08:00')],
      breaks: [piece(1, '03-28 08:00 – 03-28 20:00'), piece(2, '03-29 06:59 – 03-29 08:00')],
      actual: 659,
      limit: 660,
    },
  ],
  [
    'rest',
    'where a gap is a break or too short a rest',
    {
      parameters: { minutes: 660, same_work_minutes: 120 },
      passes: [piece(1, '06-12 08:00 – 06-12 10:00'), piece(2, '06-12 11:59 – 06-12 13:00')],
      breaks: [piece(1, '06-12 08:00 – 06-12 10:00'), piece(2, '06-12 12:00 – 06-12 13:00')],
      actual: 120,
      limit: 660,
    },
  ],
  [
    'hours_per_day',
    'of the day on which work starts',
    {
      parameters: { minutes: 600 },
      passes: [piece(1, '06-12 06:00 – 06-12 10:00'), piece(2, '06-12 20:00 – 06-13 02:00')],
      breaks: [piece(1, '06-12 06:00 – 06-12 10:00'), piece(2, '06-12 20:00 – 06-13 02:01')],
      actual: 601,
      limit: 600,
    },
  ],
  [
    'hours_per_day',
    'of calendar days, cut at midnight',
    {
      parameters: { minutes: 120, per: 'calendar_day' },
      passes: [piece(1, '06-12 20:00 – 06-13 00:00')],
      breaks: [piece(1, '06-12 20:00 – 06-13 00:01')],
      actual: 121,
      limit: 120,
    },
  ],
  [
    'hours_per_day',
    'where work overlaps, which counts once',
    {
      parameters: { minutes: 600 },
      passes: [piece(1, '06-12 06:00 – 06-12 12:00'), piece(2, '06-12 10:00 – 06-12 16:00')],
      breaks: [piece(1, '06-12 06:00 – 06-12 12:00'), piece(2, '06-12 10:00 – 06-12 16:01')],
      actual: 601,
      limit: 600,
    },
  ],
  [
    'hours_per_day',
    'of a night in autumn with an hour more',
    {
      parameters: { minutes: 540 },
      passes: [piece(1, '10-24 20:00 – 10-25 05:00')],
      breaks: [piece(1, '10-24 20:00 – 10-25 05:01')],
      actual: 541,
      limit: 540,
    },
  ],
  [
    'span_per_day',
    'breaks and gaps included',
    {
      parameters: { minutes: 720 },
      passes: [piece(1, '06-12 06:00 – 06-12 08:00'), piece(2, '06-12 16:00 – 06-12 18:00')],
      breaks: [piece(1, '06-12 06:00 – 06-12 08:00'), piece(2, '06-12 16:00 – 06-12 18:01')],
      actual: 721,
      limit: 720,
    },
  ],
  [
    'hours_per_week',
    'from Monday',
    { parameters: { minutes: 1260 }, passes: week(60), breaks: week(61), actual: 1261, limit: 1260 },
  ],
  [
    'hours_per_week',
    'of a week that starts on Sunday',
    {
      parameters: { minutes: 480, week_starts_on: 7 },
      passes: days(6, 8),
      breaks: [...days(7, 8), shift(9, '08:00 – 06-@ 08:01')],
      actual: 481,
      limit: 480,
    },
  ],
  [
    'average_hours',
    'over three weeks',
    {
      parameters: { minutes: 240, weeks: 3 },
      // The work of 25 May is not in the three weeks that end with that of 15 June.
      passes: [piece(9, '05-25 08:00 – 05-25 12:00'), shift(1), shift(2), shift(15)],
      breaks: [shift(1), shift(2), shift(15), shift(16, '08:00 – 06-@ 08:01')],
      actual: 721,
      limit: 720,
    },
  ],
  [
    'days_in_a_row',
    'of local days',
    { parameters: { days: 6 }, passes: days(1, 6), breaks: days(1, 7), actual: 7, limit: 6 },
  ],
  [
    'weekly_rest',
    'in seven days',
    {
      // From Saturday 12:00 to the midnight of Sunday, which is 22:00 in UTC.
      parameters: { minutes: 2040, per_days: 7 },
      passes: [...days(1, 6), shift(7, '22:00 – 06-@ 23:00')],
      breaks: [...days(1, 5), shift(6, '08:00 – 06-@ 12:01'), shift(7, '21:59 – 06-@ 22:30')],
      actual: 2038,
      limit: 2040,
    },
  ],
  [
    'breaks',
    'that work needs',
    {
      parameters: { steps: [{ over: 360, minutes: 30 }] },
      passes: [piece(1, '06-12 08:00 – 06-12 14:00')],
      breaks: [piece(1, '06-12 08:00 – 06-12 14:01')],
      actual: 0,
      limit: 30,
    },
  ],
  [
    'breaks',
    'of some length',
    {
      parameters: { steps: [{ over: 360, minutes: 30 }] },
      passes: [piece(1, '06-12 08:00 – 06-12 16:00', { pause: '06-12 12:00 – 06-12 12:30' })],
      breaks: [piece(1, '06-12 08:00 – 06-12 16:00', { pause: '06-12 12:00 – 06-12 12:29' })],
      actual: 29,
      limit: 30,
    },
  ],
  [
    'breaks',
    'at the latest',
    {
      parameters: { steps: [], longest: 360 },
      passes: [piece(1, '06-12 08:00 – 06-12 20:30', { pause: '06-12 14:00 – 06-12 14:30' })],
      breaks: [piece(1, '06-12 08:00 – 06-12 20:30', { pause: '06-12 14:01 – 06-12 14:30' })],
      actual: 361,
      limit: 360,
    },
  ],
  [
    'night',
    'of so much work in all',
    {
      parameters: { from: '23:00', to: '06:00', over: 120, minutes: 480 },
      passes: [piece(1, '06-12 15:01 – 06-12 23:01')],
      breaks: [piece(1, '06-12 15:01 – 06-12 23:02')],
      actual: 481,
      limit: 480,
    },
  ],
  [
    'night',
    'with more than some night work',
    {
      parameters: { from: '23:00', to: '06:00', over: 120, minutes: 0 },
      passes: [piece(1, '06-12 21:00 – 06-12 23:00')],
      breaks: [piece(1, '06-12 21:00 – 06-12 23:01')],
      actual: 121,
      limit: 0,
    },
  ],
  [
    'night',
    'of so many running',
    {
      parameters: { from: '23:00', to: '06:00', over: 120, in_a_row: 3 },
      passes: days(1, 3, nightOf),
      breaks: days(1, 4, nightOf),
      actual: 4,
      limit: 3,
    },
  ],
  [
    'forbidden_hours',
    'in local time',
    {
      parameters: { windows: [{ from: '20:00', to: '06:00' }] },
      passes: [piece(1, '06-12 04:00 – 06-12 18:00')],
      breaks: [piece(1, '06-12 04:00 – 06-12 18:01')],
      actual: 1,
      limit: 0,
    },
  ],
  [
    'hire_out',
    'by calendar months',
    {
      parameters: { months: 2, gap_months: 3 },
      passes: withClient(piece(1, '01-31 08:00 – 01-31 12:00'), piece(2, '03-30 08:00 – 03-30 12:00')),
      breaks: withClient(piece(1, '01-31 08:00 – 01-31 12:00'), piece(2, '03-31 08:00 – 03-31 12:00')),
      actual: 3,
      limit: 2,
    },
  ],
  [
    'hire_out',
    'with gaps',
    {
      parameters: { months: 2, gap_months: 3 },
      passes: withClient(piece(1, '01-15 08:00 – 01-15 12:00'), piece(2, '04-17 08:00 – 04-17 12:00')),
      breaks: withClient(piece(1, '01-15 08:00 – 01-15 12:00'), piece(2, '04-16 08:00 – 04-16 12:00')),
      actual: 4,
      limit: 2,
    },
  ],
];

function withClient(...pieces: readonly WorkPiece[]): WorkPiece[] {
  return pieces.map(each => ({ ...each, placement: { ...each.placement, clientId: 7 } }));
}

describe('the limit of a working-time rule', () => {
  for (const [kind, says, { parameters, passes, breaks, actual, limit }] of pairs) {
    it(`${kind} ${says}: what equals it passes, one more does not`, () => {
      assert.deepEqual(judge(rule(kind, parameters), ...passes), []);
      const found = judge(rule(kind, parameters), ...breaks);
      assert.deepEqual(
        found.map(breach => [breach.actual, breach.limit]),
        [[actual, limit]],
      );
    });
  }

  it('counts 400 days of a piece, and the time with a client whole', () => {
    const [from, to] = ['1900-01-02', '9998-12-30'].map(day => Date.parse(`${day}T12:00:00Z`) / 1000);
    const [forever] = withClient({ ...piece(1, ''), planned: { from, to, pause: null } as Times });
    const minutes = 400 * 24 * 60;
    const wanted: [KindName, object, number[]][] = [
      ['hours_per_day', { minutes: 600 }, [minutes]],
      ['hours_per_week', { minutes: 600 }, [minutes]],
      ['breaks', { steps: [], longest: 600 }, [minutes]],
      ['night', { from: '23:00', to: '06:00', over: 120, in_a_row: 3 }, [400]],
      ['forbidden_hours', { windows: [{}] }, [minutes]],
      ['hire_out', { months: 18, gap_months: 3 }, [97_188]],
    ];
    for (const [kind, parameters, actual] of wanted)
      assert.deepEqual(
        judge(rule(kind, parameters), forever as WorkPiece).map(breach => breach.actual),
        actual,
        kind,
      );
    assert.equal(judge(rule('hours_per_day', { minutes: 600, per: 'calendar_day' }), forever as WorkPiece).length, 401);
  });
});
