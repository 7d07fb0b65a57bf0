import { exceeding, type Kind, LONGEST_DAY } from '../kind.ts';
import { byDay, type DayParameters } from './per-day.ts';

/** The most work on a day. */
export const hoursPerDay: Kind<DayParameters> = {
  near: () => LONGEST_DAY,
  canExceed: ({ minutes: limit }, { minutes }) => minutes > limit,
  find: (work, { minutes, per }) =>
    [...byDay(work, per)].flatMap(([day, shares]) => exceeding(shares, minutes, `${day}`)),
};
