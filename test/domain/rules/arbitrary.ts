import fc from 'fast-check';
import { nowhere, type Times, type WorkPiece } from '../../../src/domain/rules/piece.ts';
import type { KindName } from '../../../src/domain/rules/rule.ts';

/** First days of months with and without a change of clocks, in zones that change at night and at midnight. */
export const months = [
  ['Europe/Berlin', '2026-03-15'],
  ['Europe/Berlin', '2026-10-12'],
  ['Europe/Berlin', '2026-06-01'],
  ['America/Santiago', '2026-08-24'],
  ['America/Santiago', '2026-03-23'],
] as const;
export const DAYS = 30;

const time = fc.constantFrom('00:00', '02:15', '02:30', '03:00', '06:00', '20:00', '23:00');
const day = { minutes: fc.integer({ min: 0, max: 900 }), per: fc.constantFrom('start_day', 'calendar_day') };
const optional = { requiredKeys: [] };
const minutes = (max: number, min = 1) => fc.integer({ min, max });

/** Parameters of each kind. */
export const parameters: Readonly<Record<KindName, fc.Arbitrary<object>>> = {
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

export const MINUTE = 60;
export const times = (base: number, spread = 1): fc.Arbitrary<Times> =>
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

export const month = (base: number, spread = 1, most = 22): fc.Arbitrary<readonly WorkPiece[]> =>
  fc
    .array(
      fc.record({
        planned: times(base, spread),
        worked: fc.array(times(base, spread), { maxLength: 2 }),
        client: fc.constantFrom(null, 1, 2),
      }),
      { minLength: 1, maxLength: most },
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
