import type { components } from '../../../generated/api.ts';
import { createClock } from '../time/clock.ts';
import { lengthOf } from '../time/interval.ts';
import { type Times, workedIn } from '../work/worked.ts';
import { hoursOf, payOf, payOfTime, rateOf } from './money.ts';
import { type Part, split } from './split.ts';

type Full = components['schemas']['WageType'];

/** A wage type as a profile stores it: omitted members have the spec's defaults. */
export type WageType = Pick<Full, 'id' | 'name'> & Partial<Omit<Full, 'id' | 'name' | 'windows'>> & StoredWindows;

interface StoredWindows {
  readonly windows?: readonly Partial<components['schemas']['WageWindow']>[];
}

/** The wage of a wage type for some work; decimals as strings. */
export interface DerivedWage {
  readonly wage_type_id: number;
  /** The pay for one unit, four decimal places. */
  readonly base_value: string;
  /** The number of units (for timed types, hours), six decimal places. */
  readonly factor: string;
  /** Rounded to cents. */
  readonly payable_amount: string;
}

const isTimed = ({ type = '1' }: WageType): boolean => type === '1' || type === '2';

/**
 * Returns the wages for the work done on one assignment, in the order of the wage types. Pure, and independent of the
 * order of `works`.
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

/** Returns the pay for one unit of a wage type. Without a value, the number of units is the amount itself. */
export const baseValueOf = ({ value, factor = 1 }: WageType): string =>
  value === undefined || value === null ? rateOf(1, 1) : rateOf(value, factor);

const paidSeconds = ({ id, minimum_minutes: minimum }: WageType, parts: readonly Part[]): number => {
  const seconds = lengthOf(parts.filter(({ ids }) => ids.includes(id)));
  return seconds === 0 ? 0 : Math.max(seconds, (minimum ?? 0) * 60);
};
