/** A half-open span of time between two instants, in seconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Returns the total length in seconds. */
export const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { from, to }) => sum + (to - from), 0);

/** Returns the union of intervals: sorted, disjoint, none empty. */
export const merge = (intervals: readonly Interval[]): readonly Interval[] => {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of intervals.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
};

/** Returns the parts of an interval outside of another one. */
export const subtract = ({ from, to }: Interval, without: Interval): readonly Interval[] =>
  [
    { from, to: Math.min(to, without.from) },
    { from: Math.max(from, without.to), to },
  ].filter(part => part.from < part.to);
