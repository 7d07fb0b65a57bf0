import { type FieldError, fieldError } from '../../core/errors.ts';
import { secondsOf } from '../../core/time.ts';
import type { Values } from '../../engine/body.ts';
import type { WorkedTimes } from './worked.ts';

const LONGEST = 24 * 3600;

/** Returns the times of a work record. */
export const timesOf = ({ start, end, break_start, break_end }: Values): WorkedTimes => ({
  start: String(start),
  end: String(end),
  break_start: break_start === null || break_start === undefined ? null : String(break_start),
  break_end: break_end === null || break_end === undefined ? null : String(break_end),
});

/**
 * Returns the errors of times that are in order.
 * Work lasts at most 24 hours, a break has start and end and is within the work.
 */
export const timesErrors = ({ start, end, break_start, break_end }: WorkedTimes): readonly FieldError[] => {
  const errors: FieldError[] = [];
  if (secondsOf(end) - secondsOf(start) > LONGEST)
    errors.push(
      fieldError('out_of_range', 'end', 'end: work of more than 24 hours must be split into several records.'),
    );
  if (break_start !== null && break_start > end)
    errors.push(fieldError('out_of_range', 'break_start', 'break_start must not be after the end of the work.'));
  if (break_end !== null && break_end > end)
    errors.push(fieldError('out_of_range', 'break_end', 'break_end must not be after the end of the work.'));
  if (break_start !== null && break_end === null) errors.push(fieldError('not_empty', 'break_end'));
  if (break_start === null && break_end !== null) errors.push(fieldError('not_empty', 'break_start'));
  return errors;
};
