import { Temporal } from 'temporal-polyfill';

/** The clock on the wall in one time zone. Days are counted from 1970-01-01, instants are in seconds since 1970. */
export interface Clock {
  /** The day that the instant is on. */
  dayOf(instant: number): number;
  /** The first instant of the day at which the clock shows so many minutes or, where it is put forward over them, more. */
  reaches(day: number, minutes: number): number;
}

/** 1 is Monday, 7 is Sunday; 1970 began with a Thursday. */
export const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

const DAY = 86_400;

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
    // On most days the clock is not touched, and nothing must be looked up.
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
