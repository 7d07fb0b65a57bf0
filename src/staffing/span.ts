/** A half-open span of time between two instants, as answers write them; null: open at that end. */
export interface Span {
  readonly start: string | null;
  readonly end: string | null;
}

/** Whether the spans have an instant in common; one that ends where the other starts has not. */
export const overlaps = (a: Span, b: Span): boolean =>
  !isEmpty(a) && !isEmpty(b) && isBefore(a.start, b.end) && isBefore(b.start, a.end);

/** Open ends are never reached. */
const isBefore = (start: string | null, end: string | null): boolean => start === null || end === null || start < end;

const isEmpty = ({ start, end }: Span): boolean => !isBefore(start, end);
