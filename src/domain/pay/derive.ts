import type { components } from '../../../generated/api.ts';
import { createClock } from '../time/clock.ts';
import { lengthOf } from '../time/interval.ts';
import { type Times, workedIn } from '../work/worked.ts';
import { hoursOf, payOf, payOfTime, rateOf } from './money.ts';
import { type Part, split } from './split.ts';

type Full = components['schemas']['WageType'];

/** A wage type as a profile stores it: what is left out has the spec's default. */
export type WageType = Pick<Full, 'id' | 'name'> & Partial<Omit<Full, 'id' | 'name' | 'windows'>> & StoredWindows;

interface StoredWindows {
  readonly windows?: readonly Partial<components['schemas']['WageWindow']>[];
}

/** What a wage type pays for work; decimals as texts. */
export interface DerivedWage {
  readonly wage_type_id: number;
  /** The pay for one unit, four places. */
  readonly base_value: string;
  /** Units, six places: of hours their number. */
  readonly factor: string;
  /** To the cent. */
  readonly payable_amount: string;
}

const isTimed = ({ type = '1' }: WageType): boolean => type === '1' || type === '2';

/**
 * The wages for the work done on one assignment, in the order of the wage types. Depends on nothing but what it is given, and not on
 * the order of the work.
 */
export const deriveWages = (
  works: readonly Times[],
  wageTypes: readonly WageType[],
  timeZone: string,
): readonly DerivedWage[] => {
  const worked = workedIn(works);
  if (lengthOf(worked) === 0) return [];
  const timed = wageTypes.filter(isTimed);
  const parts = split(
    worked,
    timed.map(({ id, windows = [] }) => ({ id, windows })),
    createClock(timeZone),
  );
  return wageTypes.flatMap(wageType => {
    const { id: wage_type_id, value, type = '1' } = wageType;
    if (value === undefined || value === null || type === '4') return [];
    const base_value = baseValueOf(wageType);
    if (!isTimed(wageType))
      return [{ wage_type_id, base_value, factor: '1.000000', payable_amount: payOf(base_value, 1) }];
    const seconds = paidSeconds(wageType, parts);
    if (seconds === 0) return [];
    return [{ wage_type_id, base_value, factor: hoursOf(seconds), payable_amount: payOfTime(base_value, seconds) }];
  });
};

/** The pay for one unit of a wage type. Without a value, what is asked for is the amount itself. */
export const baseValueOf = ({ value, factor = 1 }: WageType): string =>
  value === undefined || value === null ? rateOf(1, 1) : rateOf(value, factor);

const paidSeconds = ({ id, minimum_minutes: minimum }: WageType, parts: readonly Part[]): number => {
  const seconds = lengthOf(parts.filter(({ ids }) => ids.includes(id)));
  return seconds === 0 ? 0 : Math.max(seconds, (minimum ?? 0) * 60);
};
