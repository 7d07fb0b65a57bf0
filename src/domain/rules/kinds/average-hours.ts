import { weekOf } from '../../time/local-days.ts';
import { exceeding, type Kind } from '../kind.ts';
import { sharesOf } from '../work.ts';
import type { WeekParameters } from './hours-per-week.ts';

export interface AverageParameters extends WeekParameters {
  readonly weeks: number;
}

/** The most work a week on average over the weeks that end with the week of the work. */
export const averageHours: Kind<AverageParameters> = {
  reach: ({ weeks }) => (weeks + 1) * 7,
  find: (work, { minutes, weeks, week_starts_on: startsOn = 1 }) => {
    const byWeek = Map.groupBy(sharesOf(work.stretches), ({ stretch }) => weekOf(stretch.day, startsOn));
    return [...byWeek.keys()].flatMap(last => {
      const shares = [...byWeek].flatMap(([week, shares]) => (week > last - weeks && week <= last ? shares : []));
      return exceeding(shares, minutes * weeks, `${last}`);
    });
  },
};
