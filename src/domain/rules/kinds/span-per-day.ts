import { type Excess, type Kind, LONGEST_DAY } from '../kind.ts';
import { stretchesIn, type WorkShare } from '../work.ts';
import { byDay, type DayParameters } from './per-day.ts';

/** The most time from the first start to the last end of a day. */
export const spanPerDay: Kind<DayParameters> = {
  near: () => LONGEST_DAY,
  find: (work, { minutes, per }) =>
    [...byDay(work, per)].flatMap(([day, shares]): Excess | readonly [] => {
      const from = Math.min(...shares.map(share => share.from));
      const to = Math.max(...shares.map(share => share.to));
      if (to - from <= minutes * 60) return [];
      const passing = shares
        .toSorted((a, b) => a.from - b.from)
        .find(share => share.to > from + minutes * 60) as WorkShare;
      return {
        actual: (to - from) / 60,
        limit: minutes,
        unit: 'minutes',
        from,
        to,
        stretches: stretchesIn(shares),
        passing: passing.stretch,
        about: `${day}`,
      };
    }),
};
