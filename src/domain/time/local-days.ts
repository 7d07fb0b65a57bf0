import { Temporal } from 'temporal-polyfill';

/** Local time in one time zone. Days are counted from 1970-01-01; instants are in seconds since 1970. */
export interface Clock {
  /** Returns the local day of an instant. */
  dayOf(instant: number): number;
  /** Returns the day's first instant at or after a local time in minutes, which clocks may skip. */
  reaches(day: number, minutes: number): number;
}

/** Returns the number of the week of a day; weeks start on an ISO weekday. */
export const weekOf = (day: number, startsOn: number): number => Math.floor((day + 4 - startsOn) / 7);

/** Returns the date of a day, as in `2026-03-29`. */
export const dateOf = (day: number): string => {
  const kept = dates.get(day);
  if (kept !== undefined) return kept;
  const date = new Date(day * DAY * 1000).toISOString().slice(0, 10);
  keep(dates, day, date);
  return date;
};

/** Returns the day of a date; the inverse of `dateOf`. */
export const dayOfDate = (date: string): number => Date.parse(date) / 1000 / DAY;

const dates = new Map<number, string>();

/** The most days of which something is kept. */
const KEPT = 10_000;

const keep = <Value>(known: Map<number, Value>, day: number, value: Value): void => {
  if (known.size >= KEPT) known.clear();
  known.set(day, value);
};

/** Returns the day so many calendar months later; the last day of a month that is too short. */
export const addMonths = (day: number, months: number): number => {
  const date = new Date(day * DAY * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), last)) / 1000 / DAY;
};

/** Returns the ISO weekday of a day: 1 is Monday, 7 is Sunday (1970-01-01 was a Thursday). */
export const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

const DAY = 86_400;

const clocks = new Map<string, Clock>();

/** Returns the clock of a time zone, which keeps the days that it has been asked for. */
export const clockOf = (timeZone: string): Clock => {
  const clock = clocks.get(timeZone) ?? createClock(timeZone);
  clocks.set(timeZone, clock);
  return clock;
};

/** Creates the clock of a time zone. */
export const createClock = (timeZone: string): Clock => {
  const known = new Map<number, number>();
  const startOf = (day: number): number => {
    const kept = known.get(day);
    if (kept !== undefined) return kept;
    const start = reading(day, 0, timeZone);
    keep(known, day, start);
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

/** The seconds by which local time is `ahead` of UTC between two instants; null: open at that end. */
export interface Offset {
  readonly since: number | null;
  readonly until: number | null;
  readonly ahead: number;
}

/** Returns a time zone's offsets some days before and after an instant, as if there were no others. */
export const offsetsAround = (instant: number, timeZone: string): readonly Offset[] => {
  const offsets: Offset[] = [];
  const at = (seconds: number) => Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(timeZone);
  const last = instant + AROUND;
  for (let [since, zoned]: [number | null, Temporal.ZonedDateTime] = [null, at(instant - AROUND)]; ; ) {
    const next = zoned.getTimeZoneTransition('next');
    const until = next && next.epochMilliseconds / 1000 <= last ? next.epochMilliseconds / 1000 : null;
    offsets.push({ since, until, ahead: zoned.offsetNanoseconds / 1e9 });
    if (!next || until === null) return offsets;
    [since, zoned] = [until, next];
  }
};

const AROUND = 3 * DAY;
