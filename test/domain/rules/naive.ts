import type { Times, WorkPiece } from '../../../src/domain/rules/piece.ts';
import type { KindName, RuleBasis } from '../../../src/domain/rules/rule.ts';

/** What a kind finds, in minutes since 1970. */
export interface Found {
  readonly actual: number;
  readonly from: number;
  readonly to: number;
  readonly passing: number | null;
}

/** A record of a piece, in minutes. */
interface Record {
  readonly id: number | null;
  readonly client: number | null;
  readonly from: number;
  readonly to: number;
  readonly works: (minute: number) => boolean;
}

/** A time zone: its format, and what its clocks show at each hour since 1970 that was asked for. */
const clocks = new Map<string, { readonly format: Intl.DateTimeFormat; readonly hours: Map<number, number> }>();

const clockOf = (zone: string) => {
  const options = { timeZone: zone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'short' } as const;
  const clock = clocks.get(zone) ?? { format: new Intl.DateTimeFormat('sv-SE', options), hours: new Map() };
  clocks.set(zone, clock);
  return clock;
};

/** Local minutes since 1970-01-01 00:00 as the clock shows them, by asking Intl for each hour. */
const shownAt = (minute: number, { format, hours }: ReturnType<typeof clockOf>): number => {
  const hour = Math.floor(minute / 60);
  const shown = hours.get(hour) ?? Date.parse(`${format.format(hour * 3_600_000).replace(' ', 'T')}:00Z`) / 60_000;
  hours.set(hour, shown);
  return shown + (minute - hour * 60);
};

const DAY = 1440;

/** Judges work minute by minute, between two minutes; nothing is shared with the rules but the pieces. */
export const evaluate = (
  kind: KindName,
  // biome-ignore lint/suspicious/noExplicitAny: parameters of any kind
  p: any,
  pieces: readonly WorkPiece[],
  basis: RuleBasis,
  zone: string,
  [start, end]: readonly [number, number],
): readonly Found[] => {
  const records = recordsOf(pieces, basis);
  const clock = clockOf(zone);
  const dayAt = (minute: number): number => Math.floor(shownAt(minute, clock) / DAY);
  const reach = (day: number, time: number): number => {
    for (let t = day * DAY + time - 900; ; t++) if (shownAt(t, clock) >= day * DAY + time) return t;
  };
  // A minute belongs to the first record that works in it.
  const owners = new Map<number, Record>();
  for (const record of records)
    for (let t = Math.max(start, record.from); t < Math.min(end, record.to); t++)
      if (record.works(t) && !owners.has(t)) owners.set(t, record);
  const worked = [...owners.keys()].sort((a, b) => a - b);
  const startDay = (t: number): number => dayAt((owners.get(t) as Record).from);

  const sum = (of: readonly number[], limit: number): Found[] => {
    if (of.length <= limit) return [];
    const passing = owners.get(of[limit] as number) as Record;
    return [{ actual: of.length, from: of[0] as number, to: (of.at(-1) as number) + 1, passing: passing.id }];
  };
  const groups = (keyOf: (t: number) => number): Map<number, number[]> => Map.groupBy(worked, keyOf);
  const perDay = (t: number): number => (p.per === 'calendar_day' ? dayAt(t) : startDay(t));
  const week = (t: number): number => {
    let day = startDay(t);
    while (new Date(day * 86_400_000).getUTCDay() !== (p.week_starts_on ?? 1) % 7) day--;
    return day;
  };
  const runs = (of: readonly number[], most = 1): number[][] => {
    const found: number[][] = [];
    for (const value of of) {
      const last = found.at(-1);
      if (last && value - (last.at(-1) as number) <= most) last.push(value);
      else found.push([value]);
    }
    return found;
  };
  const row = (days: Map<number, Record[]>, limit: number): Found[] =>
    runs([...days.keys()].sort((a, b) => a - b)).flatMap(run => {
      if (run.length <= limit) return [];
      const all = run.flatMap(day => days.get(day) as Record[]);
      const passing = (days.get(run[limit] as number) as Record[])[0] as Record;
      const from = Math.min(...all.map(record => record.from));
      return [{ actual: run.length, from, to: Math.max(...all.map(record => record.to)), passing: passing.id }];
    });
  const windowOn = (day: number, { from = '00:00', to = '00:00' }): [number, number] => {
    const [a, b] = [from, to].map(time => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) as [number, number];
    return [reach(day, a), reach(to <= from ? day + 1 : day, b)];
  };

  switch (kind) {
    case 'rest':
      return runs(worked).flatMap((run, index, all) => {
        const [to = 0] = run;
        const from = (all[index - 1]?.at(-1) ?? Number.NEGATIVE_INFINITY) + 1;
        const gap = to - from;
        const passing = owners.get(to)?.id ?? null;
        return gap >= (p.same_work_minutes ?? 180) && gap < p.minutes ? [{ actual: gap, from, to, passing }] : [];
      });
    case 'hours_per_day':
      return [...groups(perDay).values()].flatMap(of => sum(of, p.minutes));
    case 'span_per_day':
      return [...groups(perDay).values()].flatMap(of => {
        const [from, to] = [of[0] as number, (of.at(-1) as number) + 1];
        const passing = owners.get(of.find(t => t >= from + p.minutes) ?? from)?.id ?? null;
        return to - from > p.minutes ? [{ actual: to - from, from, to, passing }] : [];
      });
    case 'hours_per_week':
      return [...groups(week).values()].flatMap(of => sum(of, p.minutes));
    case 'average_hours':
      return [...groups(week).keys()].flatMap(last =>
        sum(
          worked.filter(t => week(t) > last - 7 * p.weeks && week(t) <= last),
          p.minutes * p.weeks,
        ),
      );
    case 'days_in_a_row':
      return row(
        Map.groupBy(records, ({ from }) => dayAt(from)),
        p.days,
      );
    case 'weekly_rest':
      return [...Map.groupBy(records, ({ from }) => dayAt(from))].flatMap(([day, on]) => {
        const [from, to] = [reach(day - p.per_days + 1, 0), reach(day + 1, 0)];
        let [longest, free] = [0, 0];
        for (let t = from; t < to; t++) {
          free = owners.has(t) ? 0 : free + 1;
          longest = Math.max(longest, free);
        }
        return longest < p.minutes ? [{ actual: longest, from, to, passing: on.at(-1)?.id ?? null }] : [];
      });
    case 'breaks':
      return runs(worked, Math.max(1, p.same_work_minutes ?? 180)).flatMap(run => {
        const [from, to] = [run[0] as number, (run.at(-1) as number) + 1];
        const pause = to - from - run.length;
        // biome-ignore lint/suspicious/noExplicitAny: a step
        const needed = p.steps.filter((step: any) => run.length > step.over);
        // biome-ignore lint/suspicious/noExplicitAny: a step
        const most = Math.max(0, ...needed.map((step: any) => step.minutes));
        // biome-ignore lint/suspicious/noExplicitAny: a step
        const over = Math.min(...needed.filter((step: any) => step.minutes === most).map((step: any) => step.over));
        const passing = owners.get(run[over] as number)?.id ?? null;
        const longest = runs(run).reduce((a, b) => (b.length > a.length ? b : a));
        return [
          ...(pause < most ? [{ actual: pause, from, to, passing }] : []),
          ...(p.longest === undefined ? [] : sum(longest, p.longest)),
        ];
      });
    case 'night': {
      const days = new Set(worked.flatMap(t => [dayAt(t) - 1, dayAt(t)]));
      const nights = new Map(
        [...days]
          .sort((a, b) => a - b)
          .flatMap(day => {
            const [from, to] = windowOn(day, p);
            const at = worked.filter(t => from <= t && t < to);
            const reaching = new Set(at.map(t => owners.get(t) as Record));
            return at.length > p.over ? [[day, records.filter(record => reaching.has(record))] as const] : [];
          }),
      );
      return [
        ...(p.minutes === undefined
          ? []
          : [...nights.values()].flatMap(on =>
              sum(
                worked.filter(t => on.includes(owners.get(t) as Record)),
                p.minutes,
              ),
            )),
        ...(p.in_a_row === undefined ? [] : row(nights, p.in_a_row)),
      ];
    }
    case 'forbidden_hours':
      return [...Map.groupBy(records, ({ id }) => id)].flatMap(([id, all]) => {
        const at = all.flatMap(record => {
          const days = Array.from({ length: 5 }, (_, index) => dayAt(record.from) - 1 + index);
          // biome-ignore lint/suspicious/noExplicitAny: a window
          const spans = p.windows.flatMap((window: any) =>
            days
              .filter(day => !window.week_days?.length || window.week_days.includes(((day + 3) % 7) + 1))
              .map(day => windowOn(day, window)),
          ) as [number, number][];
          return Array.from({ length: record.to - record.from }, (_, index) => record.from + index).filter(
            t => record.works(t) && spans.some(([from, to]) => from <= t && t < to),
          );
        });
        if (at.length === 0) return [];
        return [{ actual: at.length, from: Math.min(...at), to: Math.max(...at) + 1, passing: id }];
      });
    case 'hire_out':
      return [...Map.groupBy(records, ({ client }) => client)].flatMap(([client, all]) => {
        if (client === null) return [];
        const periods: Record[][] = [];
        let last = Number.NEGATIVE_INFINITY;
        for (const record of all) {
          const first = dayAt(record.from);
          if (periods.length > 0 && first <= later(last + 1, p.gap_months)) periods.at(-1)?.push(record);
          else periods.push([record]);
          last = Math.max(last, dayAt(record.to - 1));
        }
        return periods.flatMap(period => {
          const first = dayAt((period[0] as Record).from);
          const passing = period.find(({ to }) => dayAt(to - 1) >= later(first, p.months));
          if (!passing) return [];
          const to = Math.max(...period.map(record => record.to));
          let actual = p.months;
          while (later(first, actual) <= dayAt(to - 1)) actual++;
          return [{ actual, from: (period[0] as Record).from, to, passing: passing.id }];
        });
      });
  }
};

/** A day so many months later, by trying the days of the month backwards. */
const later = (day: number, months: number): number => {
  const date = new Date(day * 86_400_000);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
  for (let number = date.getUTCDate(); ; number--) {
    const found = new Date(Date.UTC(Math.floor(month / 12), month % 12, number));
    if (found.getUTCMonth() === month % 12) return found.getTime() / 86_400_000;
  }
};

const recordsOf = (pieces: readonly WorkPiece[], basis: RuleBasis): readonly Record[] =>
  pieces
    .flatMap(({ assignmentId: id, busyDateId, planned, worked, placement }) => {
      const isPlanned = busyDateId !== null || basis === 'planned' || (basis === 'both' && worked.length === 0);
      return (isPlanned ? [planned] : worked).flatMap(times => {
        const works = worksIn(times);
        const at: number[] = [];
        for (let t = times.from / 60; t < times.to / 60; t++) if (works(t)) at.push(t);
        const [from, last] = [at[0], at.at(-1)];
        if (from === undefined || last === undefined) return [];
        return [{ id, client: placement.clientId, works, from, to: last + 1 }];
      });
    })
    .sort((a, b) => a.from - b.from || a.to - b.to || (a.id ?? 1e9) - (b.id ?? 1e9));

const worksIn =
  ({ from, to, pause }: Times) =>
  (t: number): boolean =>
    t * 60 >= from && t * 60 < to && !(pause && t * 60 >= pause.from && t * 60 < pause.to);
