import { aligned, type Measured, median } from '../report.ts';

/** A workload of this build against another one. */
export interface Compared {
  readonly workload: string;
  /** Median CPU milliseconds of a request, of both processes of a build. */
  readonly thisMs: number;
  readonly otherMs: number;
  readonly ratio: number;
  /** How far two processes of one build differ, as a part of the lower median; the larger of both. */
  readonly spread: number;
  /** Whether the ratio is worse than the spread, and than `tolerated`. */
  readonly isWorse: boolean;
}

/** By how much a workload may be worse where the spread is smaller. */
const tolerated = 0.05;

/** Compares the rounds of each contestant: `this`, `other`, and both again. */
export const comparedOf = (rounds: readonly (readonly Measured[])[]): readonly Compared[] => {
  const byWorkload = Map.groupBy(rounds.flat(), ({ workload }) => workload);
  return [...byWorkload].map(([workload, all]) => {
    const of = (...names: string[]): number =>
      median(all.filter(({ contestant }) => names.includes(contestant)).map(({ cpuMs, ownMs }) => cpuMs ?? ownMs));
    const spread = Math.max(
      ...['this', 'other'].map(name => {
        const [low = 0, high = 0] = [of(name), of(`${name}, again`)].toSorted((one, two) => one - two);
        return high / low - 1;
      }),
    );
    const [thisMs, otherMs] = [of('this', 'this, again'), of('other', 'other, again')];
    const ratio = thisMs / otherMs;
    return { workload, thisMs, otherMs, ratio, spread, isWorse: !(ratio <= 1 + Math.max(tolerated, spread)) };
  });
};

/** Returns the lines of a table. */
export const linesOf = (compared: readonly Compared[]): readonly string[] =>
  aligned(
    [
      ['workload', 'this, CPU ms', 'other, CPU ms', 'ratio', 'spread', ''],
      ...compared.map(({ workload, thisMs, otherMs, ratio, spread, isWorse }) => [
        workload,
        thisMs.toFixed(2),
        otherMs.toFixed(2),
        ratio.toFixed(3),
        `${(100 * spread).toFixed(1)} %`,
        isWorse ? 'worse' : '',
      ]),
    ],
    1,
  );
