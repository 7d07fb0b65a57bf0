import type { Interval } from '../time/interval.ts';
import type { Clock } from '../time/local-days.ts';
import { type Holidays, spansOf, type Window } from '../time/windows.ts';

/** Windows of the week, with the id of the wage type that they belong to. */
export interface PayShare {
  readonly id: number;
  readonly windows: readonly Window[];
}

/** A part of the worked time, and the ids of the shares that it belongs to, in the order of the shares. */
export interface PeriodPart extends Interval {
  readonly ids: readonly number[];
}

/**
 * Splits the worked time at every start and end of a window.
 * The parts of an interval are in order and cover it exactly; a part may belong to any number of shares, or to
 * none.
 */
export const split = (
  worked: readonly Interval[],
  shares: readonly PayShare[],
  clock: Clock,
  holidays?: Holidays,
): readonly PeriodPart[] => worked.flatMap(work => splitOne(work, shares, clock, holidays));

const splitOne = (
  work: Interval,
  shares: readonly PayShare[],
  clock: Clock,
  holidays?: Holidays,
): readonly PeriodPart[] => {
  const spans = shares.map(({ id, windows }) => ({ id, spans: spansOf(windows, work, clock, holidays) }));
  const bounds = spans.flatMap(share => share.spans.flatMap(({ from, to }) => [from, to]));
  const edges = [...new Set([work.from, work.to, ...bounds])].sort((a, b) => a - b);
  const parts = edges.slice(1).map((to, index) => ({ from: edges[index] as number, to, ids: [] as number[] }));
  const starting = new Map(parts.map(({ from }, index) => [from, index]));
  for (const { id, spans: own } of spans) {
    for (const { from, to } of own) {
      for (let index = starting.get(from) as number; (parts[index]?.from ?? to) < to; index++)
        parts[index]?.ids.push(id);
    }
  }
  return parts;
};
