import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClock } from '../../../src/domain/time/local-days.ts';
import { spansOf, type Window } from '../../../src/domain/time/windows.ts';

const night: Window = { from: '23:00', to: '06:00' };
const sunday: Window = { week_days: [7] };

/** A span of 2026 in UTC, such as `06-12 16:00 – 06-12 22:00`, in seconds. */
const span = (text: string): { from: number; to: number } => {
  const [from = 0, to = 0] = text.split(' – ').map(moment => Date.parse(`2026-${moment.replace(' ', 'T')}:00Z`) / 1000);
  return { from, to };
};

/** Each: windows, what they are looked for in, their spans; in Berlin unless another time zone is given. */
const cases: readonly [says: string, windows: Window[], within: string, want: string[], zone?: string][] = [
  ['no windows: everything', [], '06-12 16:00 – 06-12 22:00', ['06-12 16:00 – 06-12 22:00']],
  ['a window over midnight', [night], '06-12 16:00 – 06-13 06:00', ['06-12 21:00 – 06-13 04:00']],
  ['a window that began the evening before', [night], '06-12 23:30 – 06-13 10:00', ['06-12 23:30 – 06-13 04:00']],
  ['a window that touches is none', [night], '06-12 15:00 – 06-12 21:00', []],
  ['a day of the week, midnight to midnight', [sunday], '06-13 20:00 – 06-15 02:00', ['06-13 22:00 – 06-14 22:00']],
  [
    'the night of a day belongs to the day on which it starts',
    [{ ...night, week_days: [6] }],
    '06-12 20:00 – 06-14 20:00',
    ['06-13 21:00 – 06-14 04:00'],
  ],
  [
    'windows that overlap count once',
    [night, { from: '00:00', to: '05:00' }, { from: '06:00', to: '07:00' }],
    '06-12 20:00 – 06-13 10:00',
    ['06-12 21:00 – 06-13 05:00'],
  ],
  [
    'the zone tells what the clock shows',
    [night],
    '06-12 16:00 – 06-13 06:00',
    ['06-13 03:00 – 06-13 06:00'],
    'America/New_York',
  ],
  ['a night in spring has an hour less', [night], '03-28 12:00 – 03-29 12:00', ['03-28 22:00 – 03-29 04:00']],
  ['a night in autumn has an hour more', [night], '10-24 12:00 – 10-25 12:00', ['10-24 21:00 – 10-25 05:00']],
  ['a Sunday in spring has 23 hours', [sunday], '03-28 12:00 – 03-30 12:00', ['03-28 23:00 – 03-29 22:00']],
  [
    'a time that spring skips is the moment of the change',
    [{ from: '00:00', to: '02:30' }],
    '03-28 23:00 – 03-29 12:00',
    ['03-28 23:00 – 03-29 01:00'],
  ],
  ['a window within what spring skips is empty', [{ from: '02:15', to: '02:45' }], '03-28 23:00 – 03-29 12:00', []],
  [
    'a time that autumn has twice is the first',
    [{ from: '02:30', to: '04:00' }],
    '10-24 22:00 – 10-25 12:00',
    ['10-25 00:30 – 10-25 03:00'],
  ],
  [
    'a zone where the day starts at one o’clock once a year',
    [sunday],
    '09-05 12:00 – 09-07 12:00',
    ['09-06 04:00 – 09-07 03:00'],
    'America/Santiago',
  ],
];

describe('windows of the week', () => {
  for (const [says, windows, within, want, zone = 'Europe/Berlin'] of cases) {
    it(says, () => {
      const found = spansOf(windows, span(within), createClock(zone));
      assert.deepEqual(found, want.map(span));
    });
  }
});
