import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daySpan, daysLater, isDate, localDateOf, parseInstant } from '../../src/core/time.ts';

describe('daySpan', () => {
  const cases: [date: string, zone: string, from: string, to: string][] = [
    ['2026-04-01', 'UTC', '2026-04-01T00:00:00Z', '2026-04-02T00:00:00Z'],
    ['2026-04-01', 'Europe/Berlin', '2026-03-31T22:00:00Z', '2026-04-01T22:00:00Z'],
    // the days on which clocks change have 23 and 25 hours
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    // a zone whose clocks change at midnight has no 00:00 on that day
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
    // the first and the last day, which are partly outside the range of instants
    ['0001-01-01', 'Asia/Tokyo', '-infinity', '0001-01-01T14:41:01Z'],
    ['9999-12-31', 'UTC', '9999-12-31T00:00:00Z', 'infinity'],
  ];
  for (const [date, zone, from, to] of cases) {
    it(`returns the actual length of ${date} in ${zone}`, () => assert.deepEqual(daySpan(date, zone), { from, to }));
  }
  it('is null for anything but a date', () => assert.equal(daySpan('2026-04-01T00:00:00Z', 'UTC'), null));
});

describe('parseInstant', () => {
  const cases: [text: string, want: string | null][] = [
    ['2026-04-01T12:00:00Z', '2026-04-01T12:00:00Z'],
    ['2026-04-01t12:00:00z', '2026-04-01T12:00:00Z'],
    ['2026-04-01T12:00:00-05:30', '2026-04-01T17:30:00Z'],
    ['1969-12-31T23:59:59.9Z', '1969-12-31T23:59:59Z'],
    ['2026-04-01 12:00', '2026-04-01T10:00:00Z'],
    ['2026-04-01T12:00', '2026-04-01T10:00:00Z'],
    // a local time that clocks skip counts as if they had not; of a repeated one, the first counts
    ['2026-03-29 02:30:00', '2026-03-29T01:30:00Z'],
    ['2026-10-25 02:30:00', '2026-10-25T00:30:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    // years without four digits in UTC
    ['9999-12-31T23:59:59-01:00', null],
    ['0001-01-01', null],
    ['0001-01-01T00:00:00+01:00', null],
    ['0001-01-01 00:00:00', null],
    ['2026-04-31 12:00:00', null],
    ['2026-04-01T25:00:00Z', null],
    ['2026-04-01T12:00:00Z[Europe/Berlin]', null],
    ['20260401T120000Z', null],
    ['', null],
    ['now', null],
  ];
  for (const [text, want] of cases) {
    it(`reads ${JSON.stringify(text)} as ${want}`, () => assert.equal(parseInstant(text, 'Europe/Berlin'), want));
  }
});

describe('isDate', () => {
  it('accepts February 29 in leap years only', () => {
    assert.deepEqual(['2024-02-29', '2025-02-29', '2000-02-29', '1900-02-29'].map(isDate), [true, false, true, false]);
  });
});

describe('daysLater', () => {
  it('counts days of 24 hours, in whichever direction', () => {
    const instant = '2026-03-29T00:30:00Z';
    assert.deepEqual(
      [7, -7].map(days => daysLater(instant, days)),
      ['2026-04-05T00:30:00Z', '2026-03-22T00:30:00Z'],
    );
  });

  it('is null outside of years 1 to 9999, as for infinitely many days', () => {
    const last = '9998-12-31T23:59:59Z';
    assert.equal(daysLater(last, 7), '9999-01-07T23:59:59Z');
    assert.deepEqual(
      [366, -4e6, 1e9, Infinity, -Infinity].map(days => daysLater(last, days)),
      Array(5).fill(null),
    );
  });
});

describe('localDateOf', () => {
  it('is the date in the time zone, and days later', () => {
    const late = '2026-03-28T23:30:00Z';
    assert.deepEqual(
      [0, -1, 1].map(days => localDateOf(late, 'Europe/Berlin', days)),
      ['2026-03-29', '2026-03-28', '2026-03-30'],
    );
    assert.equal(localDateOf(late, 'UTC'), '2026-03-28');
  });
});
