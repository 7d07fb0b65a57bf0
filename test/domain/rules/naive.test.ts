import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Breach, judgeWork } from '../../../src/domain/rules/judge.ts';
import { nowhere, type Times, type WorkPiece } from '../../../src/domain/rules/piece.ts';
import type { KindName, RuleBasis } from '../../../src/domain/rules/rule.ts';
import { evaluate } from './naive.ts';
import { rule, somebody } from './scene.ts';

/** First days of months with and without a change of clocks, in zones that change at night and at midnight. */
const months = [
  ['Europe/Berlin', '2026-03-15'],
  ['Europe/Berlin', '2026-10-12'],
  ['Europe/Berlin', '2026-06-01'],
  ['America/Santiago', '2026-08-24'],
  ['America/Santiago', '2026-03-23'],
] as const;
const DAYS = 30;

const time = fc.constantFrom('00:00', '02:15', '02:30', '03:00', '06:00', '20:00', '23:00');
const day = { minutes: fc.integer({ min: 0, max: 900 }), per: fc.constantFrom('start_day', 'calendar_day') };
const optional = { requiredKeys: [] };
const minutes = (max: number, min = 1) => fc.integer({ min, max });

/** Parameters of each kind. */
const parameters: Readonly<Record<KindName, fc.Arbitrary<object>>> = {
  rest: fc.record({ minutes: minutes(2000, 180), same_work_minutes: minutes(180, 0) }, { requiredKeys: ['minutes'] }),
  hours_per_day: fc.record(day, { requiredKeys: ['minutes'] }),
  span_per_day: fc.record(day, { requiredKeys: ['minutes'] }),
  hours_per_week: fc.record({ minutes: minutes(4000, 0), week_starts_on: minutes(7) }, { requiredKeys: ['minutes'] }),
  average_hours: fc.record({ minutes: minutes(3000, 0), weeks: minutes(5), week_starts_on: minutes(7) }),
  days_in_a_row: fc.record({ days: minutes(6) }),
  weekly_rest: fc.record({ minutes: minutes(4000), per_days: fc.constantFrom(7, 14) }),
  breaks: fc
    .tuple(
      fc.array(fc.record({ over: minutes(900, 0), minutes: minutes(120) }), { maxLength: 3 }),
      fc.record({ longest: minutes(700), same_work_minutes: minutes(240, 0) }, optional),
    )
    .map(([steps, others]) => ({ steps, ...others })),
  night: fc
    .tuple(
      fc.record({ from: time, to: time, over: minutes(240, 0) }),
      fc.record({ minutes: minutes(700, 0), in_a_row: minutes(3) }, optional),
    )
    .map(([window, limits]) => ({ ...window, ...limits })),
  forbidden_hours: fc.record({
    windows: fc.array(fc.record({ from: time, to: time, week_days: fc.subarray([1, 2, 3, 4, 5, 6, 7]) }, optional), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  hire_out: fc.record({ months: minutes(2), gap_months: minutes(1, 0) }),
};

const MINUTE = 60;
const times = (base: number, spread = 1): fc.Arbitrary<Times> =>
  fc
    .record({
      start: fc.integer({ min: 0, max: DAYS * 96 }).map(quarter => quarter * 15 * spread),
      length: fc.integer({ min: 0, max: 56 }).map(quarter => quarter * 15 + (quarter % 7)),
      pause: fc.option(fc.tuple(minutes(700, 0), minutes(60, 0))),
    })
    .map(({ start, length, pause }) => {
      const from = base + start * MINUTE;
      const to = from + length * MINUTE;
      const at = pause && from + Math.min(pause[0], length) * MINUTE;
      return {
        from,
        to,
        pause: at === null || !pause ? null : { from: at, to: Math.min(to, at + pause[1] * MINUTE) },
      };
    });

const month = (base: number, spread = 1): fc.Arbitrary<readonly WorkPiece[]> =>
  fc
    .array(
      fc.record({
        planned: times(base, spread),
        worked: fc.array(times(base, spread), { maxLength: 2 }),
        client: fc.constantFrom(null, 1, 2),
      }),
      { minLength: 1, maxLength: 22 },
    )
    .map(all =>
      all.map(({ planned, worked, client }, index) => ({
        assignmentId: index + 1,
        busyDateId: null,
        planned,
        worked,
        placement: { ...nowhere, clientId: client },
      })),
    );

const order = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('working-time rules against minute by minute', () => {
  for (const kind of Object.keys(parameters) as KindName[]) {
    // Three months, since it counts months.
    const spread = kind === 'hire_out' ? 3 : 1;
    it(`${kind}: the same breaches in random months`, () => {
      const cases = fc.constantFrom(...months).chain(([zone, date]) => {
        const base = Date.parse(`${date}T00:00:00Z`) / 1000;
        const basis = fc.constantFrom<RuleBasis>('planned', 'worked', 'both');
        return fc.record({
          zone: fc.constant(zone),
          base: fc.constant(base),
          basis,
          pieces: month(base, spread),
          given: parameters[kind],
        });
      });
      fc.assert(
        fc.property(cases, ({ zone, base, basis, pieces, given }) => {
          const period = [base / 60 - 20 * 1440, base / 60 + (DAYS * spread + 20) * 1440] as const;
          const expected = evaluate(kind, given, pieces, basis, zone, period);
          const found = judgeWork(somebody, pieces, [rule(kind, given, { basis, timeZone: zone })]);
          const said = found.map(({ actual, from, to, assignmentId: passing }) => ({
            actual,
            from: from / MINUTE,
            to: to / MINUTE,
            passing,
          }));
          assert.deepEqual(said.sort(order), expected.toSorted(order));
        }),
        { numRuns: 60 },
      );
    });

    it(`${kind}: busy dates count as work, and no breach is about them alone`, () => {
      const base = Date.parse('2026-03-15T00:00:00Z') / 1000;
      fc.assert(
        fc.property(month(base), parameters[kind], fc.integer(), (all, given, busy) => {
          const isBusy = (index: number): boolean => ((busy >> index) & 3) === 3;
          const pieces = all.slice(0, 10).map(piece => ({ ...piece, worked: [] }));
          const some = pieces.map(
            (piece, index): WorkPiece =>
              isBusy(index) ? { ...piece, assignmentId: null, busyDateId: index + 1, placement: nowhere } : piece,
          );
          const as = pieces.map((piece, index) => (isBusy(index) ? { ...piece, placement: nowhere } : piece));
          const judged = rule(kind, given);
          const spans = (found: readonly Breach[]) =>
            found.map(({ actual, from, to }) => ({ actual, from, to })).sort(order);
          const expected = judgeWork(somebody, as, [judged]).filter(({ assignmentIds }) =>
            assignmentIds.some(id => !isBusy(id - 1)),
          );
          assert.deepEqual(spans(judgeWork(somebody, some, [judged])), spans(expected));
        }),
        { numRuns: 60 },
      );
    });
  }
});
