import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Values } from '../../engine/body.ts';

/** A span of an employee's work, and its path in the body. */
interface SignedSpan {
  readonly path: string;
  readonly employee: number;
  readonly values: Values;
}

/** Returns an error for each span that starts before an earlier one of the same employee ends. */
export const mutualOverlaps = (signed: readonly SignedSpan[]): readonly FieldError[] =>
  [...Map.groupBy(signed, ({ employee }) => employee).values()].flatMap(spans => {
    let end = '';
    return spans
      .toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1))
      .flatMap(span => {
        const overlaps = startOf(span) < end;
        end = [end, String(span.values.end)].sort().at(-1) ?? end;
        return overlaps ? [fieldError('overlapping_work_time', `${span.path}.start`)] : [];
      });
  });

const startOf = ({ values }: SignedSpan): string => String(values.start);
