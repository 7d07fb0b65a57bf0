import { weekOf } from '../../time/local-days.ts';
import { exceeding, type Kind, LONGEST_DAY } from '../kind.ts';
import { sharesOf } from '../work.ts';

export interface WeekParameters {
  readonly minutes: number;
  readonly week_starts_on?: number;
}

/** The most work in a week. */
export const hoursPerWeek: Kind<WeekParameters> = {
  near: () => 8 * LONGEST_DAY,
  canExceed: ({ minutes: limit }, { minutes }) => minutes > limit,
  find: (work, { minutes, week_starts_on: startsOn = 1 }) =>
    [...Map.groupBy(sharesOf(work.stretches), ({ stretch }) => weekOf(stretch.day, startsOn))].flatMap(
      ([week, shares]) => exceeding(shares, minutes, `${week}`),
    ),
};
