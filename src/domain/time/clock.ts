import { Temporal } from 'temporal-polyfill';

/** Local time in one time zone. Days are counted from 1970-01-01; instants are in seconds since 1970. */
export interface Clock {
  /** Returns the local day of an instant. */
  dayOf(instant: number): number;
  /**
   * Returns the day's first instant at or after a local time in minutes, which clocks may skip.
   */
  reaches(day: number, minutes: number): number;
}

/** Returns the ISO weekday of a day: 1 is Monday, 7 is Sunday (1970-01-01 was a Thursday). */
export const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

const DAY = 86_400;

/** Creates the clock of a time zone. */
export const createClock = (timeZone: string): Clock => {
  const known = new Map<number, number>();
  const startOf = (day: number): number => {
    const start = known.get(day) ?? reading(day, 0, timeZone);
    known.set(day, start);
    return start;
  };
  return {
    dayOf: instant => {
      let day = Math.floor(instant / DAY);
      while (startOf(day) > instant) day--;
      while (startOf(day + 1) <= instant) day++;
      return day;
    },
    // Fast path for days without a clock change: no lookup is needed.
    reaches: (day, minutes) =>
      startOf(day + 1) - startOf(day) === DAY ? startOf(day) + minutes * 60 : reading(day, minutes, timeZone),
  };
};

const origin = Temporal.PlainDate.from('1970-01-01');

const reading = (day: number, minutes: number, timeZone: string): number => {
  const local = origin.add({ days: day }).toPlainDateTime().add({ minutes });
  const zoned = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const reached = zoned.toPlainDateTime().equals(local) ? zoned : (zoned.getTimeZoneTransition('next') ?? zoned);
  return reached.epochMilliseconds / 1000;
};
