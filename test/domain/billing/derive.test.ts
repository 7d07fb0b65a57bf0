import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Component, deriveBillings } from '../../../src/domain/billing/derive.ts';
import type { WorkedTimes } from '../../../src/domain/work/worked.ts';

/** Work from and to moments of June 2026 in UTC, such as `12 16:00`, with or without a break. */
const work = (...moments: readonly string[]): WorkedTimes => {
  const [start, end, ...pause] = moments.map(moment => `2026-06-${moment.replace(' ', 'T')}Z`);
  assert.ok(start && end);
  return { start, end, break_start: pause[0] ?? null, break_end: pause[1] ?? null };
};

const component = (unit: Component['unit'], rate: string, more: Partial<Component> = {}): Component => ({
  id: 1,
  billing_profile_id: 6,
  unit,
  rate,
  factor: '1.0000',
  min_quantity: null,
  ...more,
});

const inEuros = (components: readonly Component[]) => ({ currency: 'EUR', components });

const night = work('12 16:00:00', '13 01:00:00');

/** Each: the quantity and the amount that are billed. */
const cases: readonly [says: string, works: WorkedTimes[], component: Component, want: string][] = [
  // 9 × 28.5
  ['hours', [night], component('hour', '28.5000'), '9.0000: 256.50'],
  // 8.5 × 28.5 = 242.25
  [
    'hours without breaks',
    [work('12 16:00:00', '13 01:00:00', '12 20:00:00', '12 20:30:00')],
    component('hour', '28.5'),
    '8.5000: 242.25',
  ],
  [
    'the hours of all work times',
    [night, work('13 10:00:00', '13 11:15:00')],
    component('hour', '10'),
    '10.2500: 102.50',
  ],
  // 10 minutes are 0.16666… hours; 0.1667 × 30 = 5.001, where the exact hours would be 5.00 as well.
  ['hours with four decimal places', [work('12 10:00:00', '12 10:10:00')], component('hour', '30'), '0.1667: 5.00'],
  // 0.3333 × 150 = 49.995: the amount follows from the quantity that is shown.
  [
    'an amount half up, of the quantity shown',
    [work('12 10:00:00', '12 10:20:00')],
    component('hour', '150'),
    '0.3333: 50.00',
  ],
  // 1.005 in binary is less than 1.005.
  ['an amount half up, exactly', [night], component('flat', '1.0050'), '1.0000: 1.01'],
  ['the rate times the factor', [night], component('hour', '28.5', { factor: '1.2500' }), '9.0000: 320.63'],
  [
    'at least the minimum',
    [work('12 10:00:00', '12 12:00:00')],
    component('hour', '20', { min_quantity: '4' }),
    '4.0000: 80.00',
  ],
  ['more than the minimum', [night], component('hour', '20', { min_quantity: '4' }), '9.0000: 180.00'],
  ['a night as one day', [night], component('day', '180'), '1.0000: 180.00'],
  [
    'two work times of one day as one day',
    [work('12 08:00:00', '12 10:00:00'), work('12 16:00:00', '12 20:00:00')],
    component('day', '180'),
    '1.0000: 180.00',
  ],
  // 22:30 UTC is 0:30 of the next day in Berlin.
  [
    'days of the time zone',
    [work('12 08:00:00', '12 10:00:00'), work('12 22:30:00', '13 01:00:00')],
    component('day', '180'),
    '2.0000: 360.00',
  ],
  ['one for the assignment', [night, work('13 10:00:00', '13 11:00:00')], component('flat', '45'), '1.0000: 45.00'],
];

describe('billings of work', () => {
  for (const [says, works, terms, want] of cases) {
    it(`bill ${says}`, () => {
      const [billing, ...more] = deriveBillings(works, inEuros([terms]), 'Europe/Berlin');
      assert.equal(`${billing?.quantity}: ${billing?.billable_amount}`, want);
      assert.deepEqual(more, []);
    });
  }

  it('are one for each component, in their order', () => {
    const terms = [component('flat', '1'), component('hour', '2', { id: 2, billing_profile_id: 7 })];
    assert.deepEqual(
      deriveBillings([night], inEuros(terms), 'UTC').map(({ billing_component_id, unit }) => [
        billing_component_id,
        unit,
      ]),
      [
        [1, 'flat'],
        [2, 'hour'],
      ],
    );
  });

  it('are none without work, whatever the minimum', () => {
    const terms = [component('flat', '1'), component('hour', '2', { min_quantity: '4' })];
    assert.deepEqual(deriveBillings([], inEuros(terms), 'UTC'), []);
  });
});
