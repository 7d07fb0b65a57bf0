import type { components } from '../../../generated/api.ts';
import { type Interval, merge } from './interval.ts';
import { type Clock, weekdayOf } from './local-days.ts';

/** Hours of the week; omitted members have the spec's defaults. */
export type Window = Partial<components['schemas']['WageWindow']>;

/** Days of a clock that are public holidays. */
export type Holidays = ReadonlySet<number>;

const none: Holidays = new Set();

/**
 * Returns the intervals between `from` and `to` that are in any of the windows by local time.
 * The whole without windows.
 */
export const spansOf = (
  windows: readonly Window[],
  { from, to }: Interval,
  clock: Clock,
  holidays = none,
): readonly Interval[] => {
  if (windows.length === 0) return merge([{ from, to }]);
  // A window that starts on the previous evening may extend into the first day.
  const first = clock.dayOf(from) - 1;
  const days = Array.from({ length: clock.dayOf(to) - first + 1 }, (_, index) => first + index);
  const spans = windows.flatMap(window =>
    days.filter(day => isOn(window, day, holidays)).map(day => spanOn(day, window, clock)),
  );
  return merge(spans.map(span => ({ from: Math.max(span.from, from), to: Math.min(span.to, to) })));
};

const isOn = ({ week_days: days = [], holidays: isHoliday = 0 }: Window, day: number, holidays: Holidays): boolean =>
  isHoliday === 1 ? holidays.has(day) : days.length === 0 || days.includes(weekdayOf(day));

/** Returns when a window is that starts on a day. */
export const spanOn = (day: number, { from = '00:00', to = '00:00' }: Window, clock: Clock): Interval => ({
  from: clock.reaches(day, minutesOf(from)),
  to: clock.reaches(to <= from ? day + 1 : day, minutesOf(to)),
});

const times = new Map<string, number>();

/** Returns the minutes of a time of day; there are few, and each is read once. */
const minutesOf = (time: string): number => {
  const minutes = times.get(time) ?? Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  times.set(time, minutes);
  return minutes;
};
