import { cutAtMidnights, type PersonWork, sharesOf, type WorkShare } from '../work.ts';

/** The days that work counts for: the one on which it starts, or each day between its midnights. */
export type PerDay = 'start_day' | 'calendar_day';

export interface DayParameters {
  readonly minutes: number;
  readonly per?: PerDay;
}

/** Returns the time of work by local day, each time once. */
export const byDay = (work: PersonWork, per: PerDay = 'start_day'): ReadonlyMap<number, readonly WorkShare[]> => {
  const shares = sharesOf(work.stretches);
  if (per === 'start_day') return Map.groupBy(shares, ({ stretch }) => stretch.day);
  const cut = shares.flatMap(({ stretch, ...time }) =>
    [...cutAtMidnights(time, work.clock)].map(part => ({ stretch, ...part })),
  );
  return Map.groupBy(cut, ({ day }) => day);
};
