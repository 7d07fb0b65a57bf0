import { type Interval, intersect } from './interval.ts';
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
 * Divides the time worked wherever a window opens or closes. The parts are in order; together they are exactly the time worked, however
 * many shares, or none, have a part.
 */
export const split = (worked: readonly Interval[], shares: readonly Share[], timeZone: string): readonly Part[] => {
  const from = Math.min(...worked.map(interval => interval.from));
  const to = Math.max(...worked.map(interval => interval.to));
  if (from >= to) return [];
  const spans = shares.map(({ id, windows }) => ({ id, spans: spansOf(windows, { from, to }, timeZone) }));
  const bounds = spans.flatMap(share => share.spans.flatMap(span => [span.from, span.to]));
  const edges = [...new Set([from, to, ...bounds])].sort((a, b) => a - b);
  const pieces = edges.slice(1).map((edge, index) => ({ from: edges[index] as number, to: edge }));
  return intersect(pieces, worked)
    .map(part => ({ ...part, ids: spans.filter(share => contains(share.spans, part)).map(({ id }) => id) }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
};

const contains = (spans: readonly Interval[], part: Interval): boolean =>
  spans.some(({ from, to }) => from <= part.from && part.to <= to);
