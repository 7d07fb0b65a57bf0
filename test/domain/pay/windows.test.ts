import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { spansOf, type Window } from '../../../src/domain/pay/windows.ts';
import { createClock } from '../../../src/domain/time/clock.ts';

const seconds = (instant: string): number => Date.parse(instant) / 1000;
const night: Window = { from: '23:00', to: '06:00' };
const sunday: Window = { week_days: [7] };

/** Each: windows, time zone, from, to, hours of the spans. */
const cases: readonly [says: string, windows: Window[], zone: string, from: string, to: string, want: [string, string][]][] = [
  ['no windows: everything', [], 'Europe/Berlin', '2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z', [['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z']]],
  ['a window over midnight', [night], 'Europe/Berlin', '2026-06-12T16:00:00Z', '2026-06-13T06:00:00Z', [['2026-06-12T21:00:00Z', '2026-06-13T04:00:00Z']]],
  ['a window that began the evening before', [night], 'Europe/Berlin', '2026-06-12T23:30:00Z', '2026-06-13T10:00:00Z', [['2026-06-12T23:30:00Z', '2026-06-13T04:00:00Z']]],
  ['a window that touches is none', [night], 'Europe/Berlin', '2026-06-12T15:00:00Z', '2026-06-12T21:00:00Z', []],
  ['a day of the week, midnight to midnight', [sunday], 'Europe/Berlin', '2026-06-13T20:00:00Z', '2026-06-15T02:00:00Z', [['2026-06-13T22:00:00Z', '2026-06-14T22:00:00Z']]],
  ['the night of a day belongs to the day on which it starts', [{ ...night, week_days: [6] }], 'Europe/Berlin', '2026-06-12T20:00:00Z', '2026-06-14T20:00:00Z', [['2026-06-13T21:00:00Z', '2026-06-14T04:00:00Z']]],
  ['windows that overlap count once', [night, { from: '00:00', to: '05:00' }, { from: '06:00', to: '07:00' }], 'Europe/Berlin', '2026-06-12T20:00:00Z', '2026-06-13T10:00:00Z', [['2026-06-12T21:00:00Z', '2026-06-13T05:00:00Z']]],
  ['the zone tells what the clock shows', [night], 'America/New_York', '2026-06-12T16:00:00Z', '2026-06-13T06:00:00Z', [['2026-06-13T03:00:00Z', '2026-06-13T06:00:00Z']]],
  ['a night in spring has an hour less', [night], 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z', [['2026-03-28T22:00:00Z', '2026-03-29T04:00:00Z']]],
  ['a night in autumn has an hour more', [night], 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z', [['2026-10-24T21:00:00Z', '2026-10-25T05:00:00Z']]],
  ['a Sunday in spring has 23 hours', [sunday], 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z', [['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z']]],
  ['a time that spring skips is the moment of the change', [{ from: '00:00', to: '02:30' }], 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T12:00:00Z', [['2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z']]],
  ['a window within what spring skips is empty', [{ from: '02:15', to: '02:45' }], 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T12:00:00Z', []],
  ['a time that autumn has twice is the first', [{ from: '02:30', to: '04:00' }], 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T12:00:00Z', [['2026-10-25T00:30:00Z', '2026-10-25T03:00:00Z']]],
  ['a zone where the day starts at one o’clock once a year', [sunday], 'America/Santiago', '2026-09-05T12:00:00Z', '2026-09-07T12:00:00Z', [['2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z']]],
]; // biome-ignore format: a table

describe('windows of the week', () => {
  for (const [says, windows, zone, from, to, want] of cases) {
    it(says, () => {
      const found = spansOf(windows, { from: seconds(from), to: seconds(to) }, createClock(zone));
      const iso = (value: number) => new Date(value * 1000).toISOString().replace('.000Z', 'Z');
      assert.deepEqual(found.map(span => [iso(span.from), iso(span.to)]), want); // biome-ignore format: one line
    });
  }
});
