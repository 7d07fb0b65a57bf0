import { Temporal } from 'temporal-polyfill';
import { createRandom, type Random } from './random.ts';

/** The size of the demo data: the number of assignments, to which all else is in proportion. */
export type Size = 'small' | 'large' | number;

/** The number of rows of each kind. */
export type Counts = Readonly<Record<keyof typeof counts.small, number>>;

const counts = {
  small: {
    clients: 40,
    contacts: 120,
    employees: 300,
    planners: 8,
    locations: 30,
    projects: 60,
    events: 400,
    eventFunctions: 1_200,
    assignments: 6_000,
    busyDates: 150,
  },
  large: {
    clients: 500,
    contacts: 1_500,
    employees: 5_000,
    planners: 40,
    locations: 300,
    projects: 1_500,
    events: 13_000,
    eventFunctions: 40_000,
    assignments: 200_000,
    busyDates: 2_500,
  },
};

/** The fewest rows of each kind that the data needs. */
const least: Counts = {
  ...counts.small,
  clients: 10,
  contacts: 30,
  employees: 60,
  projects: 15,
  events: 60,
  eventFunctions: 180,
  assignments: 900,
  busyDates: 10,
};

const countsOf = (size: Size): Counts => {
  if (typeof size !== 'number') return counts[size];
  const scaled = Object.entries(counts.large).map(([kind, count]) => {
    const share = Math.round((count * size) / counts.large.assignments);
    return [kind, Math.max(share, least[kind as keyof Counts])];
  });
  return Object.fromEntries(scaled) as unknown as Counts;
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
