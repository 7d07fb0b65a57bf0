/** A half-open span of time between two instants, as formatted in responses; null: open at that end. */
export interface Span {
  readonly start: string | null;
  readonly end: string | null;
}

/**
 * Returns whether two spans overlap; adjacent spans do not.
 * See docs/decisions.md, "Times and the tenant's clock".
 */
export const overlaps = (a: Span, b: Span): boolean =>
  !isEmpty(a) && !isEmpty(b) && isBefore(a.start, b.end) && isBefore(b.start, a.end);

/** Returns whether a span covers all of another. */
export const contains = (whole: Span, part: Span): boolean =>
  (whole.start === null || (part.start !== null && whole.start <= part.start)) &&
  (whole.end === null || (part.end !== null && part.end <= whole.end));

/** Returns the span from the first start to the last end, open where any is; empty for no spans. */
export const hull = (spans: readonly Span[]): Span => {
  if (spans.length === 0) return { start: epoch, end: epoch };
  const starts = spans.map(({ start }) => start);
  const ends = spans.map(({ end }) => end);
  return {
    start: starts.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b)),
    end: ends.reduce((a, b) => (a === null || b === null ? null : a > b ? a : b)),
  };
};

const epoch = '1970-01-01T00:00:00Z';

/** Returns whether a start is before an end; open ends are infinite. */
const isBefore = (start: string | null, end: string | null): boolean => start === null || end === null || start < end;

const isEmpty = ({ start, end }: Span): boolean => !isBefore(start, end);
