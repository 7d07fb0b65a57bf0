import { Temporal } from 'temporal-polyfill';
import type { Tenant } from './principal.ts';

/** An instant as in responses and statements: RFC 3339 in UTC, to the second. */
export type Instant = string;

/** A half-open time span; an end outside the range of `Instant` is `-infinity` or `infinity`. */
export interface InstantRange {
  readonly from: Instant;
  readonly to: Instant;
}

const date = /^\d{4}-\d\d-\d\d$/;
const local = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?$/;
const offset = /^\d{4}-\d\d-\d\d[ Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** Whether a string is a calendar date (YYYY-MM-DD) in year 1 or later. */
export const isDate = (text: string): boolean =>
  date.test(text) && !text.startsWith('0000') && attempt(() => Temporal.PlainDate.from(text)) !== null;

/** The time span of a date (YYYY-MM-DD) in the time zone; null for any other string. */
export const daySpan = (text: string, timeZone: string): InstantRange | null => {
  if (!isDate(text)) return null;
  const day = Temporal.PlainDate.from(text);
  return {
    from: startOf(day, timeZone) ?? '-infinity',
    to: startOf(day.add({ days: 1 }), timeZone) ?? 'infinity',
  };
};

/** The time span of the day in the time zone that contains the instant. */
export const daySpanAt = (instant: Instant, timeZone: string): InstantRange =>
  daySpan(localDateOf(instant, timeZone), timeZone) ?? { from: instant, to: instant };

/** Returns the date of an instant in the time zone, plus `days`. */
export const localDateOf = (instant: Instant, timeZone: string, days = 0): string =>
  dateIn(timeZone, Temporal.Instant.from(instant), days);

const dateIn = (timeZone: string, instant: Temporal.Instant, days: number): string =>
  instant.toZonedDateTimeISO(timeZone).toPlainDate().add({ days }).toString();

/**
 * Returns the instant that is days of 24 hours later.
 * Null outside the range of `Instant`, as for infinitely many days.
 */
export const daysLater = (instant: Instant, days: number): Instant | null => {
  // Not by Temporal, which takes seven times as long: each write with working-time rules asks for two.
  const later = attempt(() => instantAt(Date.parse(instant) / 1000 + days * 86_400));
  return later !== null && isOfRange(later) ? later : null;
};

/**
 * Parses a date-time, truncated to seconds.
 * RFC 3339 with any offset, `YYYY-MM-DD HH:MM[:SS]` in the time zone, or a date, which means the start of that day in the time
 * zone. Null if the string is none of these. See docs/decisions.md, "Times and the tenant's clock".
 */
export const parseInstant = (text: string, timeZone: string): Instant | null => {
  const instant = temporalOf(text, timeZone);
  return instant && print(instant);
};

/** What is said of a value that is no date. */
export const dateExpected = 'a date (YYYY-MM-DD) is expected';

/** What is said of a value that is no date-time. */
export const dateTimeExpected =
  'a date-time is expected: RFC 3339 (2026-04-01T18:00:00+02:00), or YYYY-MM-DD HH:MM:SS or YYYY-MM-DD in the time zone of the tenant';

/** The pattern of date-times in the document (`DateTimeInput`), which other strings match, too. */
export const dateTimePattern =
  '^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?([Zz]|[+-]\\d{2}:\\d{2})?)?$';

/** Whether a string is a date-time as `parseInstant` takes it, of any year in UTC. */
export const isInstant = (text: string, timeZone: string): boolean => temporalOf(text, timeZone) !== null;

const temporalOf = (text: string, timeZone: string): Temporal.Instant | null => {
  if (text.startsWith('0000')) return null;
  if (date.test(text)) return isDate(text) ? Temporal.PlainDate.from(text).toZonedDateTime(timeZone).toInstant() : null;
  if (offset.test(text)) return attempt(() => Temporal.Instant.from(text.replace(' ', 'T')));
  if (!local.test(text)) return null;
  return attempt(() => Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime(timeZone).toInstant());
};

/** The first and the last value that records can have, by type; filters compare beyond them. */
const ranges = {
  date: ['1900-01-01', '9999-12-31'],
  date_time: ['1900-01-01T00:00:00Z', '9998-12-31T23:59:59Z'],
} as const;

/**
 * Returns what is expected in place of a date or instant that records can't have; null: they can.
 * See docs/decisions.md, "Times and the tenant's clock".
 */
export const beyondRange = (type: keyof typeof ranges, value: string): string | null => {
  const [first, last] = ranges[type];
  return value < first || value > last ? `a value from ${first} to ${last} is expected` : null;
};

/** The clock of a tenant. */
export type TenantClock = Pick<Tenant, 'timeZone' | 'clockAhead'>;

/**
 * Returns what the tenant's clock shows at a real time, as `tenant_now()` does in SQL.
 * Nothing else adds the clock.
 * See docs/decisions.md, "Times and the tenant's clock".
 * @param real default: the present
 */
export const presentTimeOf = ({ clockAhead }: Pick<TenantClock, 'clockAhead'>, real = new Date()): Date =>
  new Date(real.getTime() + clockAhead);

/** Returns the real time at which the tenant's clock shows an instant. */
export const realTimeOf = (present: Instant, { clockAhead }: Pick<TenantClock, 'clockAhead'>): Date =>
  new Date(Date.parse(present) - clockAhead);

/** The present by the tenant's clock. */
export const nowOf = (clock: Pick<TenantClock, 'clockAhead'>): Temporal.Instant =>
  Temporal.Instant.fromEpochMilliseconds(presentTimeOf(clock).getTime());

/** Today's date by the tenant's clock in its time zone, plus `days`. */
export const today = (clock: TenantClock, days = 0): string => dateIn(clock.timeZone, nowOf(clock), days);

const startOf = (day: Temporal.PlainDate, timeZone: string): Instant | null =>
  print(day.toZonedDateTime(timeZone).toInstant());

/** Formats an instant; null if its year in UTC is not from 1 to 9999. */
const print = (instant: Temporal.Instant): Instant | null => {
  const text = instant.toString({ smallestUnit: 'second', roundingMode: 'floor' });
  return isOfRange(text) ? text : null;
};

/** Whether a printed instant is of the years 1 to 9999: others have a sign, or are the year 0. */
const isOfRange = (text: string): boolean => /^(?!0000)\d/.test(text);

const attempt = <T>(work: () => T): T | null => {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

/** Returns the instant of seconds since 1970. */
export const instantAt = (seconds: number): Instant => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/** Returns an instant as seconds since 1970. */
export const secondsOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / 1000;
