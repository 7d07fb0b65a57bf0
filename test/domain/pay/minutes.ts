import type { WageType } from '../../../src/domain/pay/derive.ts';
import type { WorkedTimes } from '../../../src/domain/work/worked.ts';

const MINUTE = 60_000;
const DAY = 1440;

/** What the wages of some work are worth, in minutes; computed without the service's code. */
export interface PaidMinutes {
  /** The minutes by the id of the wage type, without those that nothing is paid for. */
  readonly paid: ReadonlyMap<number, number>;
  /** Whether there is a minute that no wage type pays for. */
  readonly hasUnpaid: boolean;
}

/** Each minute from an instant on: the latest time that the wall clock has shown until then, in minutes since 1970. */
export const wallClock = (timeZone: string, from: string, minutes: number) => {
  const first = Date.parse(from);
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (instant: number): number => {
    const [, sign, hours, rest = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(instant)) ?? [];
    return sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(rest)) : 0;
  };
  let [offset, latest] = [0, Number.NEGATIVE_INFINITY];
  const shown = Array.from({ length: minutes }, (_, minute) => {
    const instant = first + minute * MINUTE;
    // Clocks change on the half hour.
    if (minute % 30 === 0) offset = offsetAt(instant);
    latest = Math.max(latest, instant / MINUTE + offset);
    return latest;
  });
  return (instant: string | number): number => shown[(Number(new Date(instant)) - first) / MINUTE] as number;
};

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** The ISO weekday of a day since 1970, which began on a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % 7) + 1;

const isPaid = ({ windows = [] }: WageType, latest: number, holidays: ReadonlySet<number>): boolean =>
  windows.length === 0 ||
  windows.some(({ week_days: days = [], holidays: only, from = '00:00', to = '00:00' }) => {
    const today = Math.floor(latest / DAY);
    return [today, today - 1].some(day => {
      const starts = only ? holidays.has(day) : days.length === 0 || days.includes(weekdayOf(day));
      const end = (to <= from ? day + 1 : day) * DAY + minutesOf(to);
      return starts && latest >= day * DAY + minutesOf(from) && latest < end;
    });
  });

/** Counts the minutes of work one by one, by what the wall clock shows. */
export const countMinutes = (
  works: readonly WorkedTimes[],
  wageTypes: readonly WageType[],
  holidays: ReadonlySet<number>,
  clock: ReturnType<typeof wallClock>,
): PaidMinutes => {
  const paid = new Map<number, number>();
  let hasUnpaid = false;
  for (const { start, end, break_start, break_end } of works) {
    const [pause, resumed] = [Date.parse(break_start ?? end), Date.parse(break_end ?? end)];
    for (let instant = Date.parse(start); instant < Date.parse(end); instant += MINUTE) {
      if (instant >= pause && instant < resumed) continue;
      const paying = wageTypes.filter(wageType => isPaid(wageType, clock(instant), holidays));
      for (const { id } of paying) paid.set(id, (paid.get(id) ?? 0) + 1);
      if (paying.length === 0) hasUnpaid = true;
    }
  }
  for (const { id, minimum_minutes: minimum } of wageTypes)
    if (paid.has(id)) paid.set(id, Math.max(paid.get(id) ?? 0, minimum ?? 0));
  return { paid, hasUnpaid };
};
