import { lengthOf } from '../time/interval.ts';
import { type PersonWork, type Stretch, stretchesIn, type WorkShare } from './work.ts';

/** What a limit is counted in. */
export type Unit = 'minutes' | 'days' | 'nights' | 'months';

/** What a kind finds to be beyond its limit, in seconds since 1970. */
export interface Excess {
  /** Exact, in the unit. */
  readonly actual: number;
  readonly limit: number;
  readonly unit: Unit;
  readonly from: number;
  readonly to: number;
  /** The work that it is about, in order of its start. */
  readonly stretches: readonly Stretch[];
  /** The stretch with which the limit is passed. */
  readonly passing: Stretch;
  /** The other end of a rest. */
  readonly neighbour?: Stretch;
  /**
   * What it is about, such as a day: the same before and after a write.
   * Omitted: what overlaps it in time is the same.
   */
  readonly about?: string;
}

/** Days to both sides of some work that most kinds look at: 14, and the one next to them. */
export const NEARBY = 15;

/** Minutes of most local days, of the longest and of the shortest one. */
export const DAY = 24 * 60;
export const LONGEST_DAY = 25 * 60;
export const SHORTEST_DAY = 23 * 60;

/**
 * Some work, and the other work of the person.
 * What is planned and what is recorded each count, whatever the basis.
 */
export interface Company {
  /** Minutes between it and the nearest other work; 0 if they overlap. */
  readonly gap: number;
  /** The minutes of it alone. */
  readonly own: number;
  /** Number and minutes of all work. */
  readonly pieces: number;
  readonly minutes: number;
}

/** How a kind of rule judges the work of one person. */
export interface Kind<Parameters> {
  /** Returns the days to both sides of some work that decide about it; omitted: `NEARBY`, a short rule. */
  reach?(parameters: Parameters): number;
  /**
   * Returns the minutes to both sides of work beyond which a short rule does not look.
   * Omitted: the days of `NEARBY`.
   */
  near?(parameters: Parameters): number;
  /**
   * Returns whether some work can be beyond the limit together with other work, which is near.
   * A bound, never a verdict: `find` is asked only then. Omitted: it can.
   */
  canExceed?(parameters: Parameters, company: Company): boolean;
  /** Whether it asks where work is done; omitted: only scopes do. */
  readonly asksPlacement?: true;
  /** Returns what is beyond the limit; what equals it is not. */
  find(work: PersonWork, parameters: Parameters): readonly Excess[];
}

/** Returns the finding of a sum of work that exceeds a limit in minutes; none if it does not. */
export const exceeding = (shares: readonly WorkShare[], limit: number, about?: string): readonly Excess[] => {
  const total = lengthOf(shares);
  const [first] = shares;
  if (!first || total <= limit * 60) return [];
  const ordered = shares.toSorted((a, b) => a.from - b.from);
  return [
    {
      actual: total / 60,
      limit,
      unit: 'minutes',
      from: Math.min(...shares.map(({ from }) => from)),
      to: Math.max(...shares.map(({ to }) => to)),
      stretches: stretchesIn(shares),
      passing: passingOf(ordered, limit * 60),
      ...(about !== undefined && { about }),
    },
  ];
};

/** Returns the stretch with which the sum of the shares, in order, exceeds a number of seconds. */
export const passingOf = (shares: readonly WorkShare[], seconds: number): Stretch => {
  let sum = 0;
  const passing = shares.find(({ from, to }) => {
    sum += to - from;
    return sum > seconds;
  });
  return (passing ?? (shares.at(-1) as WorkShare)).stretch;
};

/** Divides ascending numbers of days into runs without a gap. */
export const runsOf = (days: readonly number[]): readonly (readonly number[])[] => {
  const runs: number[][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  return runs;
};
