/** A half-open span of time between two instants, as answers write them; null: open at that end. */
export interface Span {
  readonly start: string | null;
  readonly end: string | null;
}

/** Whether the spans have an instant in common; one that ends where the other starts has not. */
export const overlaps = (a: Span, b: Span): boolean =>
  !isEmpty(a) && !isEmpty(b) && isBefore(a.start, b.end) && isBefore(b.start, a.end);

/** The span from the first start to the last end, open where one of the spans is; of none at all, an empty one. */
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

/** Open ends are never reached. */
const isBefore = (start: string | null, end: string | null): boolean => start === null || end === null || start < end;

const isEmpty = ({ start, end }: Span): boolean => !isBefore(start, end);
