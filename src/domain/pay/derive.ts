import type { components } from '../../../generated/api.ts';
import { type Interval, lengthOf } from '../time/interval.ts';
import { clockOf } from '../time/local-days.ts';
import type { Holidays } from '../time/windows.ts';
import { type WorkedTimes, workedIn } from '../work/worked.ts';
import { amountOf, hoursOf, productOf, withPlaces } from './money.ts';
import { type PeriodPart, split } from './split.ts';

type Full = components['schemas']['WageType'];

/** A wage type as a profile stores it: omitted members have the spec's defaults. */
export type WageType = Pick<Full, 'id' | 'name'> & Partial<Omit<Full, 'id' | 'name' | 'windows'>> & StoredWindows;

interface StoredWindows {
  readonly windows?: readonly Partial<components['schemas']['WageWindow']>[];
}

/** The wage of a wage type for some work; decimals as strings. */
export interface DerivedWage {
  readonly wage_type_id: number;
  /** The pay for one unit: value times factor of the wage type, not rounded. */
  readonly base_value: string;
  /** The number of units (for timed types, hours), six decimal places. */
  readonly factor: string;
  /** Base value times factor, rounded to the minor unit of the currency. */
  readonly payable_amount: string;
}

/** Whether the wage type pays for work by itself: it has a value and does not depend on proposals. */
const paysForWork = ({ value, type = '1' }: WageType): boolean => value !== undefined && value !== null && type !== '4';

const isTimed = ({ type = '1' }: WageType): boolean => type === '1' || type === '2';

/** The terms that wages are derived by. */
export interface PayTerms {
  readonly currency: string;
  readonly wageTypes: readonly WageType[];
  /** The public holidays where the work was; omitted: none. */
  readonly holidays?: Holidays;
}

/** The terms that divide work into parts. */
type PartTerms = Pick<PayTerms, 'wageTypes' | 'holidays'>;

/**
 * Returns the wages for the work done on one assignment, in the order of the wage types.
 * Pure, and independent of the order of `works`.
 */
export const deriveWages = (
  works: readonly WorkedTimes[],
  { currency, wageTypes, ...terms }: PayTerms,
  timeZone: string,
): readonly DerivedWage[] => {
  const worked = workedIn(works);
  if (lengthOf(worked) === 0) return [];
  const paying = wageTypes.filter(paysForWork);
  const parts = partsOf(worked, { ...terms, wageTypes: paying }, timeZone);
  return paying.flatMap(wageType => {
    const { id: wage_type_id } = wageType;
    const base_value = baseValueOf(wageType);
    const seconds = isTimed(wageType) ? paidSeconds(wageType, parts) : null;
    if (seconds === 0) return [];
    const factor = seconds === null ? '1.000000' : hoursOf(seconds);
    return [{ wage_type_id, base_value, factor, payable_amount: amountOf(currency, factor, base_value) }];
  });
};

/** Returns whether some of the work is paid by no wage type. A flat amount pays for all of it. */
export const hasUnpaidWork = (
  works: readonly WorkedTimes[],
  { wageTypes, ...terms }: PartTerms,
  timeZone: string,
): boolean => {
  const paying = wageTypes.filter(paysForWork);
  if (!paying.every(isTimed)) return false;
  return partsOf(workedIn(works), { ...terms, wageTypes: paying }, timeZone).some(({ ids }) => ids.length === 0);
};

const partsOf = (
  worked: readonly Interval[],
  { wageTypes, holidays }: PartTerms,
  timeZone: string,
): readonly PeriodPart[] =>
  split(
    worked,
    wageTypes.filter(isTimed).map(({ id, windows = [] }) => ({ id, windows })),
    clockOf(timeZone),
    holidays,
  );

/** Returns the factor of a wage type as wages store it: all decimal places of a stored profile. */
export const factorOf = ({ factor = 1 }: WageType): string => withPlaces(factor, 12);

/** Returns the unrounded pay for a unit of a wage type; without a value, units are the amount. */
export const baseValueOf = (wageType: WageType): string =>
  wageType.value === undefined || wageType.value === null ? '1' : productOf(wageType.value, factorOf(wageType));

const paidSeconds = ({ id, minimum_minutes: minimum }: WageType, parts: readonly PeriodPart[]): number => {
  const seconds = lengthOf(parts.filter(({ ids }) => ids.includes(id)));
  return seconds === 0 ? 0 : Math.max(seconds, (minimum ?? 0) * 60);
};
