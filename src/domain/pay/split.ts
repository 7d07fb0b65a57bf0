import type { Clock } from '../time/clock.ts';
import type { Interval } from '../time/interval.ts';
import { spansOf, type Window } from './windows.ts';

/** Hours that are told apart from others, under the name of whatever asks for them. */
export interface Share {
  readonly id: number;
  readonly windows: readonly Window[];
}

/** A part of the time worked, and the ids of the shares that it belongs to, in their order. */
export interface Part extends Interval {
  readonly ids: readonly number[];
}

/**
 * Divides the time worked wherever a window opens or closes. The parts of an interval are in order; together they are exactly the time
 * worked, however many shares, or none, have a part.
 */
export const split = (worked: readonly Interval[], shares: readonly Share[], clock: Clock): readonly Part[] =>
  worked.flatMap(work => splitOne(work, shares, clock));

const splitOne = (work: Interval, shares: readonly Share[], clock: Clock): readonly Part[] => {
  const spans = shares.map(({ id, windows }) => ({ id, spans: spansOf(windows, work, clock) }));
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
