import { type Kind, LONGEST_DAY, runsOf } from '../kind.ts';
import { inARow } from './in-a-row.ts';

export interface DaysInARowParameters {
  readonly days: number;
}

/** The most local days with work without a day between. */
export const daysInARow: Kind<DaysInARowParameters> = {
  canExceed: ({ days }, { gap, pieces }) => gap < 2 * LONGEST_DAY && pieces > days,
  find: ({ stretches }, { days: limit }) => {
    const byDay = Map.groupBy(stretches, ({ day }) => day);
    return runsOf([...byDay.keys()].sort((a, b) => a - b)).flatMap(run => inARow(run, byDay, limit, 'days'));
  },
};
