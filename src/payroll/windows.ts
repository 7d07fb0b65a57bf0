import { Temporal } from 'temporal-polyfill';
import type { components } from '../../generated/api.ts';
import { type Interval, merge } from './interval.ts';

/** Hours of the week; what is left out has the spec's default. */
export type Window = Partial<components['schemas']['WageWindow']>;

/** The instants from `from` to `to` that lie in any of the windows in the time zone; all of them without windows. */
export const spansOf = (windows: readonly Window[], { from, to }: Interval, timeZone: string): readonly Interval[] => {
  if (windows.length === 0) return merge([{ from, to }]);
  const last = dateOf(to, timeZone);
  const spans: Interval[] = [];
  // A window of the evening before may reach into the first day.
  for (
    let date = dateOf(from, timeZone).subtract({ days: 1 });
    Temporal.PlainDate.compare(date, last) <= 0;
    date = date.add({ days: 1 })
  ) {
    for (const window of windows) {
      if (isOn(window, date)) spans.push(clip(spanOn(date, window, timeZone), from, to));
    }
  }
  return merge(spans);
};

const isOn = ({ week_days: days = [] }: Window, { dayOfWeek }: Temporal.PlainDate): boolean =>
  days.length === 0 || days.includes(dayOfWeek);

const spanOn = (date: Temporal.PlainDate, window: Window, timeZone: string): Interval => {
  const { from = '00:00', to = '00:00' } = window;
  const end = to <= from ? date.add({ days: 1 }) : date;
  return { from: firstReaching(date, from, timeZone), to: firstReaching(end, to, timeZone) };
};

const clip = (span: Interval, from: number, to: number): Interval => ({
  from: Math.max(span.from, from),
  to: Math.min(span.to, to),
});

/** The first instant at which the clock on the wall shows the time or, where clocks are put forward over it, a later one. */
const firstReaching = (date: Temporal.PlainDate, time: string, timeZone: string): number => {
  const local = date.toPlainDateTime(time);
  const zoned = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const reached = zoned.toPlainDateTime().equals(local) ? zoned : (zoned.getTimeZoneTransition('next') ?? zoned);
  return reached.epochMilliseconds / 1000;
};

const dateOf = (seconds: number, timeZone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
