import { type Interval, lengthOf } from '../../time/interval.ts';
import { type Excess, exceeding, type Kind, passingOf } from '../kind.ts';
import { type PersonWork, sharesOf, stretchesIn, type WorkShare, within } from '../work.ts';

export interface BreaksParameters {
  readonly steps: readonly { readonly over: number; readonly minutes: number }[];
  readonly longest?: number;
  readonly same_work_minutes?: number;
}

/** The breaks that work needs, and the most work without one. */
export const breaks: Kind<BreaksParameters> = {
  // Work that adjoins is one, however short the gaps may be.
  canExceed: ({ same_work_minutes: sameWork = 180 }, { gap }) => gap <= sameWork,
  find: (work, { steps, longest, same_work_minutes: sameWork = 180 }) =>
    joined(work.busy, sameWork * 60).flatMap(parts => [
      ...short(work, parts, steps),
      ...(longest === undefined ? [] : unbroken(work, parts, longest)),
    ]),
};

/** Divides time of work at gaps of at least so many seconds. */
const joined = (busy: readonly Interval[], gap: number): readonly (readonly Interval[])[] => {
  const found: Interval[][] = [];
  for (const part of busy) {
    const last = found.at(-1);
    if (last && part.from - (last.at(-1) as Interval).to < gap) last.push(part);
    else found.push([part]);
  }
  return found;
};

const hullOf = (parts: readonly Interval[]): Interval => ({
  from: (parts[0] as Interval).from,
  to: (parts.at(-1) as Interval).to,
});

const short = (work: PersonWork, parts: readonly Interval[], steps: BreaksParameters['steps']): readonly Excess[] => {
  const whole = hullOf(parts);
  const worked = lengthOf(parts);
  const pause = whole.to - whole.from - worked;
  const [step] = steps
    .filter(({ over }) => worked > over * 60)
    .sort((a, b) => b.minutes - a.minutes || a.over - b.over);
  if (!step || pause >= step.minutes * 60) return [];
  const shares = sharesIn(work, whole);
  return [
    {
      actual: pause / 60,
      limit: step.minutes,
      unit: 'minutes',
      ...whole,
      stretches: stretchesIn(shares),
      passing: passingOf(shares, step.over * 60),
    },
  ];
};

/** Returns the longest part, if it is too long. */
const unbroken = (work: PersonWork, parts: readonly Interval[], longest: number): readonly Excess[] => {
  const part = parts.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
  return exceeding(sharesIn(work, part), longest);
};

/** Returns the time of work in a period that no work crosses, in order. */
const sharesIn = (work: PersonWork, period: Interval): readonly WorkShare[] =>
  sharesOf(within(work, period))
    .filter(({ from, to }) => period.from <= from && to <= period.to)
    .sort((a, b) => a.from - b.from);
