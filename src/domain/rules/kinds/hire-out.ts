import { addMonths } from '../../time/local-days.ts';
import type { Excess, Kind } from '../kind.ts';
import type { PersonWork, Stretch } from '../work.ts';

export interface HireOutParameters {
  readonly months: number;
  readonly gap_months: number;
}

/** The longest time with one client. */
export const hireOut: Kind<HireOutParameters> = {
  reach: () => Number.POSITIVE_INFINITY,
  asksPlacement: true,
  find: (work, { months: limit, gap_months: gap }) =>
    [...Map.groupBy(work.stretches, ({ piece }) => piece.placement.clientId)].flatMap(([client, stretches]) =>
      client === null ? [] : periodsOf(stretches, work, gap).flatMap(period => tooLong(period, work, limit)),
    ),
};

/** Divides the work with a client where the gap is longer than so many months. */
const periodsOf = (stretches: readonly Stretch[], work: PersonWork, gap: number): readonly (readonly Stretch[])[] => {
  const periods: Stretch[][] = [];
  let lastDay = Number.NEGATIVE_INFINITY;
  for (const stretch of stretches) {
    const period = periods.at(-1);
    if (period && stretch.day <= addMonths(lastDay + 1, gap)) period.push(stretch);
    else periods.push([stretch]);
    lastDay = Math.max(lastDay, lastDayOf(stretch, work));
  }
  return periods;
};

const lastDayOf = ({ end }: Stretch, { clock }: PersonWork): number => clock.dayOf(end - 1);

const tooLong = (period: readonly Stretch[], work: PersonWork, limit: number): Excess | readonly [] => {
  const { day: first, from } = period[0] as Stretch;
  const end = addMonths(first, limit);
  const passing = period.find(stretch => lastDayOf(stretch, work) >= end);
  if (!passing) return [];
  const to = Math.max(...period.map(stretch => stretch.end));
  return {
    actual: monthsOf(first, work.clock.dayOf(to - 1)),
    limit,
    unit: 'months',
    from,
    to,
    stretches: period,
    passing,
  };
};

/** Returns the number of calendar months from the first to the last day; exact, with a fraction. */
const monthsOf = (first: number, last: number): number => {
  let months = Math.floor((last + 1 - first) / 31);
  while (addMonths(first, months + 1) <= last + 1) months++;
  const start = addMonths(first, months);
  return months + (last + 1 - start) / (addMonths(first, months + 1) - start);
};
