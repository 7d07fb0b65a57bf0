import { secondsOf } from '../../core/time.ts';
import { type Interval, subtract } from '../time/interval.ts';

/** The times of some work, with instants as formatted in responses. */
export interface WorkedTimes {
  readonly start: string;
  readonly end: string;
  readonly break_start: string | null;
  readonly break_end: string | null;
}

/** Returns the worked time without breaks; overlapping work counts twice. */
export const workedIn = (works: readonly WorkedTimes[]): readonly Interval[] =>
  works.flatMap(({ start, end, break_start, break_end }) => {
    const work = { from: secondsOf(start), to: secondsOf(end) };
    if (break_start === null || break_end === null) return work.from < work.to ? [work] : [];
    return subtract(work, { from: secondsOf(break_start), to: secondsOf(break_end) });
  });
