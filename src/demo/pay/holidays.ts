import { Temporal } from 'temporal-polyfill';
import type { Scene } from '../scene.ts';

/** Public holidays of all of Germany on fixed days; New Year's Day is one everywhere. */
const fixed = [
  ['01-01', 'Neujahr', null],
  ['05-01', 'Tag der Arbeit', 1],
  ['10-03', 'Tag der Deutschen Einheit', 1],
  ['12-25', '1. Weihnachtstag', 1],
  ['12-26', '2. Weihnachtstag', 1],
] as const;

/** Those that are so many days after Easter Sunday. */
const movable = [
  [-2, 'Karfreitag'],
  [1, 'Ostermontag'],
  [39, 'Christi Himmelfahrt'],
  [50, 'Pfingstmontag'],
] as const;

/** Returns Easter Sunday of a year from 1900 to 2099, by Gauss. */
const easterOf = (year: number): Temporal.PlainDate => {
  const moon = (19 * (year % 19) + 24) % 30;
  const sunday = (2 * (year % 4) + 4 * (year % 7) + 6 * moon + 5) % 7;
  const late = moon + sunday === 35 || (moon === 28 && sunday === 6 && year % 19 > 10);
  return Temporal.PlainDate.from({ year, month: 3, day: 22 }).add({ days: moon + sunday - (late ? 7 : 0) });
};

/** Makes the public holidays of the last, this and the next year, by year. */
export const makePublicHolidays = ({ date }: Scene) => {
  const { year: present } = Temporal.PlainDate.from(date(0));
  const days = [present - 1, present, present + 1].flatMap(year => [
    ...fixed.map(([day, name, country_id]) => ({ date: `${year}-${day}`, name, country_id })),
    ...movable.map(([days, name]) => ({ date: easterOf(year).add({ days }).toString(), name, country_id: 1 })),
  ]);
  return days.map((day, index) => ({ id: index + 1, external_id: `PH-${index + 1}`, ...day }));
};

/** Returns the days of public holidays as clocks count them. */
export const daysOf = (holidays: readonly { readonly date: string }[]): ReadonlySet<number> =>
  new Set(holidays.map(({ date }) => Date.parse(date) / 86_400_000));
