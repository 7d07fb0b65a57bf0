import { type Interval, merge, subtract } from '../time/interval.ts';
import { type Clock, clockOf } from '../time/local-days.ts';
import type { Times, WorkPiece } from './piece.ts';
import type { RuleBasis } from './rule.ts';

/** An uninterrupted record of a piece of work: its planned time, or one of its work times. */
export interface Stretch extends Interval {
  readonly piece: WorkPiece;
  /** Whether it is recorded work. */
  readonly worked: boolean;
  /** The local day on which it starts, counted from 1970-01-01. */
  readonly day: number;
  /** When the work ends, however long it is. */
  readonly end: number;
  /** The time without its break, in order: no more than `COUNTED`. */
  readonly parts: readonly Interval[];
  /** The part of it that no stretch before it has: work that overlaps counts once. */
  readonly own: readonly Interval[];
}

/** The work of one person by one basis and time zone. */
export interface PersonWork {
  readonly clock: Clock;
  /** In order of their start. */
  readonly stretches: readonly Stretch[];
  /** All time of work, in order and disjoint; what adjoins is one interval. */
  readonly busy: readonly Interval[];
}

/** Returns the work that pieces are by a basis; those without time are left out. */
export const workOf = (pieces: readonly WorkPiece[], basis: RuleBasis, timeZone: string): PersonWork => {
  const clock = clockOf(timeZone);
  const found = pieces.flatMap(piece => stretchesOf(piece, basis)).sort(byStart);
  let covered: readonly Interval[] = [];
  const stretches = found.map((stretch): Stretch => {
    const { from, parts } = stretch;
    const isApart = from >= (covered.at(-1)?.to ?? from);
    const own = isApart ? parts : parts.flatMap(part => outside(part, covered));
    covered = isApart ? parts : merge([...covered, ...parts]);
    return { ...stretch, day: clock.dayOf(from), own };
  });
  return { clock, stretches, busy: merge(stretches.flatMap(({ own }) => own)) };
};

/** The seconds from the start of a piece that count: each day of them is looked at. */
const COUNTED = 400 * 86_400;

type Bare = Omit<Stretch, 'day' | 'own'>;

const stretchesOf = (piece: WorkPiece, basis: RuleBasis): readonly Bare[] => {
  const counted = countedOf(piece, basis);
  const worked = counted === piece.worked;
  return counted.flatMap(times => {
    const whole = partsOf(times);
    const [first] = whole;
    const last = whole.at(-1);
    if (!first || !last) return [];
    const parts = whole.flatMap(part => subtract(part, { from: first.from + COUNTED, to: Number.POSITIVE_INFINITY }));
    return [{ piece, worked, parts, from: first.from, to: (parts.at(-1) as Interval).to, end: last.to }];
  });
};

/** Returns the times of a piece that a basis counts; those of busy dates always count. */
const countedOf = ({ busyDateId, planned, worked }: WorkPiece, basis: RuleBasis): readonly Times[] => {
  if (busyDateId !== null || basis === 'planned') return [planned];
  return basis === 'worked' || worked.length > 0 ? worked : [planned];
};

const partsOf = ({ from, to, pause }: Times): readonly Interval[] => {
  if (pause) return subtract({ from, to }, pause);
  return from < to ? [{ from, to }] : [];
};

const outside = (part: Interval, covered: readonly Interval[]): readonly Interval[] =>
  covered.reduce<readonly Interval[]>((left, other) => left.flatMap(rest => subtract(rest, other)), [part]);

const byStart = (a: Bare, b: Bare): number => a.from - b.from || a.to - b.to || keyOf(a) - keyOf(b);

/** Busy dates and new assignments come last. */
const keyOf = ({ piece }: Bare): number => piece.assignmentId ?? Number.MAX_SAFE_INTEGER;

/** A part of a stretch that something counts. */
export interface WorkShare extends Interval {
  readonly stretch: Stretch;
}

/** Returns the time of stretches, each once, in its order. */
export const sharesOf = (stretches: readonly Stretch[]): readonly WorkShare[] =>
  stretches.flatMap(stretch => stretch.own.map(({ from, to }) => ({ stretch, from, to })));

/** Returns the stretches that have time in an interval. */
export const within = ({ stretches }: PersonWork, { from, to }: Interval): readonly Stretch[] =>
  stretches.filter(stretch => stretch.from < to && from < stretch.to);

/** Returns the distinct stretches of shares, in order of their start. */
export const stretchesIn = (shares: readonly WorkShare[]): readonly Stretch[] => [
  ...new Set(shares.map(({ stretch }) => stretch)),
];

/** Divides time at local midnights, with the day of each part. */
export const cutAtMidnights = function* ({ from, to }: Interval, clock: Clock): Generator<Interval & { day: number }> {
  let start = from;
  for (let day = clock.dayOf(from); start < to; day++) {
    const end = Math.min(clock.reaches(day + 1, 0), to);
    yield { day, from: start, to: end };
    start = end;
  }
};
