import { type Interval, lengthOf } from '../../time/interval.ts';
import { spanOn } from '../../time/windows.ts';
import { exceeding, type Kind, LONGEST_DAY, NEARBY, runsOf } from '../kind.ts';
import { type PersonWork, type Stretch, sharesOf } from '../work.ts';
import { inARow } from './in-a-row.ts';

export interface NightParameters {
  readonly from: string;
  readonly to: string;
  readonly over: number;
  readonly minutes?: number;
  readonly in_a_row?: number;
}

/** The most work of those who work at night, and the most nights running. */
export const night: Kind<NightParameters> = {
  near: ({ in_a_row: row }) => (row === undefined ? LONGEST_DAY : NEARBY * LONGEST_DAY),
  canExceed: ({ over, minutes: limit, in_a_row: row }, { gap, minutes }) =>
    (limit !== undefined && gap < LONGEST_DAY && minutes > limit) ||
    (row !== undefined && gap < 2 * LONGEST_DAY && minutes > (row + 1) * over),
  find: (work, { from, to, over, minutes, in_a_row: limit }) => {
    const nights = nightsOf(work, { from, to }, over * 60);
    return [
      ...(minutes === undefined
        ? []
        : [...nights].flatMap(([day, stretches]) => exceeding(sharesOf(stretches), minutes, `night ${day}`))),
      ...(limit === undefined ? [] : runsOf([...nights.keys()]).flatMap(run => inARow(run, nights, limit, 'nights'))),
    ];
  },
};

/** Returns the work in nights that have more than so many seconds of it, by day of the evening. */
const nightsOf = (
  { stretches, clock }: PersonWork,
  window: Pick<NightParameters, 'from' | 'to'>,
  over: number,
): ReadonlyMap<number, readonly Stretch[]> => {
  const reaching = new Map<number, { stretches: Stretch[]; seconds: number }>();
  for (const stretch of stretches) {
    // A night that began on the evening before may reach into the first day.
    for (let day = stretch.day - 1; day <= clock.dayOf(stretch.to); day++) {
      const seconds = lengthOf(stretch.own.map(part => common(part, spanOn(day, window, clock))));
      if (seconds === 0) continue;
      const found = reaching.get(day) ?? { stretches: [], seconds: 0 };
      found.stretches.push(stretch);
      reaching.set(day, { ...found, seconds: found.seconds + seconds });
    }
  }
  return new Map(
    [...reaching]
      .filter(([, { seconds }]) => seconds > over)
      .sort(([a], [b]) => a - b)
      .map(([day, { stretches }]) => [day, stretches]),
  );
};

const common = (a: Interval, b: Interval): Interval => {
  const from = Math.max(a.from, b.from);
  return { from, to: Math.max(from, Math.min(a.to, b.to)) };
};
