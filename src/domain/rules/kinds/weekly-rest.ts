import type { Interval } from '../../time/interval.ts';
import { DAY, type Excess, type Kind, LONGEST_DAY, SHORTEST_DAY } from '../kind.ts';
import { type Stretch, within } from '../work.ts';

export interface WeeklyRestParameters {
  readonly minutes: number;
  readonly per_days: number;
}

/** A stretch without work in every number of local days that end with a day with work. */
export const weeklyRest: Kind<WeeklyRestParameters> = {
  near: ({ per_days: days }) => (days + 1) * LONGEST_DAY,
  // Work divides a period into one stretch more than there are pieces of it: the longest one is at least as long as all would be on average.
  // Around work that is far from others, one side of a period is long enough.
  canExceed: ({ minutes, per_days: days }, { gap, own, pieces, minutes: worked }) => {
    const least = (days - 1) * DAY + SHORTEST_DAY;
    return (gap < minutes || 2 * minutes + own > least) && worked + minutes * (pieces + 1) > least;
  },
  find: (work, { minutes, per_days: days }) => {
    const { clock, stretches, busy } = work;
    return [...Map.groupBy(stretches, ({ day }) => day)].flatMap(([day, last]): Excess | readonly [] => {
      const period = { from: clock.reaches(day - days + 1, 0), to: clock.reaches(day + 1, 0) };
      const longest = longestFree(period, busy);
      if (longest >= minutes * 60) return [];
      return {
        actual: longest / 60,
        limit: minutes,
        unit: 'minutes',
        ...period,
        stretches: within(work, period),
        passing: last.at(-1) as Stretch,
        about: `${day}`,
      };
    });
  },
};

/** Returns the longest time in a period that is free of work, in seconds. */
const longestFree = ({ from, to }: Interval, busy: readonly Interval[]): number => {
  let [longest, free] = [0, from];
  for (const work of busy) {
    if (work.to <= from) continue;
    if (work.from >= to) break;
    longest = Math.max(longest, work.from - free);
    free = work.to;
  }
  return Math.max(longest, to - free);
};
