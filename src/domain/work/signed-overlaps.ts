import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Values } from '../../engine/body.ts';

/** A span of work of an employee, and where in the body it stands. */
interface Told {
  readonly path: string;
  readonly employee: number;
  readonly values: Values;
}

/** An error for each span that begins before an earlier one of the same employee ends. */
export const mutualOverlaps = (told: readonly Told[]): readonly FieldError[] =>
  [...Map.groupBy(told, ({ employee }) => employee).values()].flatMap(spans => {
    let end = '';
    return spans
      .toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1))
      .flatMap(span => {
        const overlaps = startOf(span) < end;
        end = [end, String(span.values.end)].sort().at(-1) ?? end;
        return overlaps ? [fieldError('overlapping_work_time', `${span.path}.start`)] : [];
      });
  });

const startOf = ({ values }: Told): string => String(values.start);
