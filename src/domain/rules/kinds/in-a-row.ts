import type { Excess, Unit } from '../kind.ts';
import type { Stretch } from '../work.ts';

/** Returns the finding of a run of days or nights that is longer than a limit; none if it is not. */
export const inARow = (
  run: readonly number[],
  byDay: ReadonlyMap<number, readonly Stretch[]>,
  limit: number,
  unit: Unit,
): Excess | readonly [] => {
  const beyond = run[limit];
  if (beyond === undefined) return [];
  const stretches = [...new Set(run.flatMap(day => byDay.get(day) ?? []))].sort((a, b) => a.from - b.from);
  return {
    actual: run.length,
    limit,
    unit,
    from: Math.min(...stretches.map(({ from }) => from)),
    to: Math.max(...stretches.map(({ to }) => to)),
    stretches,
    passing: byDay.get(beyond)?.[0] as Stretch,
  };
};
