import { Temporal } from 'temporal-polyfill';
import { createRandom, type Random } from './random.ts';

/** The size of the demo data: the number of assignments, to which all else is in proportion. */
export type Size = 'small' | 'large' | number;

/** The number of rows of each kind in the sizes with names, and the fewest that the data needs. */
const counts = {
  clients: { small: 40, large: 500, least: 10 },
  contacts: { small: 120, large: 1_500, least: 30 },
  employees: { small: 300, large: 5_000, least: 60 },
  planners: { small: 8, large: 40, least: 8 },
  locations: { small: 30, large: 300, least: 30 },
  projects: { small: 60, large: 1_500, least: 15 },
  events: { small: 400, large: 13_000, least: 60 },
  eventFunctions: { small: 1_200, large: 40_000, least: 180 },
  assignments: { small: 6_000, large: 200_000, least: 900 },
  busyDates: { small: 150, large: 2_500, least: 10 },
};

/** The number of rows of each kind. */
type Counts = Readonly<Record<keyof typeof counts, number>>;

const countsOf = (size: Size): Counts => {
  const sized = Object.entries(counts).map(([kind, count]) => {
    if (typeof size !== 'number') return [kind, count[size]];
    return [kind, Math.max(count.least, Math.round((count.large * size) / counts.assignments.large))];
  });
  return Object.fromEntries(sized);
};

/** The context of all demo data: randomness, size and time. */
export interface Scene {
  readonly random: Random;
  readonly counts: Counts;
  readonly timeZone: string;
  /** The start of today, in seconds since 1970. */
  readonly now: number;
  /** The start of the day that is `day` days from today, in seconds since 1970. */
  midnight(day: number): number;
  /**
   * The local time `minutes` after midnight, `day` days from today, in seconds since 1970.
   * `minutes` are at least 240 and may exceed a day.
   */
  at(day: number, minutes: number): number;
  /** The date (YYYY-MM-DD) `day` days from today. */
  date(day: number): string;
}

/** Creates the context for a date (YYYY-MM-DD) in a time zone. */
export const createScene = (size: Size, today: string, timeZone: string, seed: number): Scene => {
  const origin = Temporal.PlainDate.from(today);
  const timesAt = (plainTime: string) => {
    const known = new Map<number, number>();
    return (day: number): number => {
      const time =
        known.get(day) ?? origin.add({ days: day }).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds / 1000;
      known.set(day, time);
      return time;
    };
  };
  const [midnight, morning] = [timesAt('00:00'), timesAt('04:00')];
  return {
    random: createRandom(seed),
    counts: countsOf(size),
    timeZone,
    now: midnight(0),
    midnight,
    // At 4:00, daylight-saving changes of the day are over, so that minutes can simply be added.
    at: (day, minutes) => morning(day) + (minutes - 240) * 60,
    date: day => origin.add({ days: day }).toString(),
  };
};

/** The times of some work, in seconds since 1970. */
interface DemoTimes {
  readonly start: number;
  readonly end: number;
  readonly break_start: number | null;
  readonly break_end: number | null;
}

/** Returns the times of some work as in the database. */
export const timesOf = ({ start, end, break_start, break_end }: DemoTimes) => ({
  start: instant(start),
  end: instant(end),
  break_start: instant(break_start),
  break_end: instant(break_end),
});

/** Formats seconds since 1970 as RFC 3339 in UTC; null for null. */
export const instant = <T extends number | null>(seconds: T): T extends null ? null : string =>
  (seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')) as T extends null
    ? null
    : string;
