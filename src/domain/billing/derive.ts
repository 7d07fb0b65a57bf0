import type { components } from '../../../generated/api.ts';
import { localDateOf } from '../../core/time.ts';
import { type Amount, amountOf, hoursOf, largerOf } from '../pay/money.ts';
import { lengthOf } from '../time/interval.ts';
import { type WorkedTimes, workedIn } from '../work/worked.ts';

/** The terms of a billing component; decimals as strings of the database. */
export interface Component {
  readonly id: number;
  readonly billing_profile_id: number;
  readonly unit: components['schemas']['BillingUnit'];
  readonly rate: Amount;
  readonly factor: Amount;
  /** The least number of units; null for no minimum. */
  readonly min_quantity: Amount | null;
}

/** The terms that apply to an assignment: its components, in the order of their ids. */
export interface BillingTerms {
  readonly currency: string;
  readonly components: readonly Component[];
}

/** What is billed for one component; decimals as strings. */
export interface DerivedBilling {
  readonly billing_profile_id: number;
  readonly billing_component_id: number;
  /** The number of units, four decimal places. */
  readonly quantity: string;
  readonly unit: Component['unit'];
  readonly rate: Amount;
  readonly factor: Amount;
  /** Quantity times rate times factor, rounded by `amountOf`: a bill can be checked by its numbers. */
  readonly billable_amount: string;
  readonly currency: string;
}

/**
 * Returns what is billed for the work of one assignment, one item for each component, in their order.
 * Nothing without work.
 */
export const deriveBillings = (
  works: readonly WorkedTimes[],
  { currency, components }: BillingTerms,
  timeZone: string,
): readonly DerivedBilling[] => {
  const seconds = lengthOf(workedIn(works));
  if (seconds === 0) return [];
  const units: Record<Component['unit'], Amount> = {
    hour: hoursOf(seconds, 4),
    day: new Set(works.map(({ start }) => localDateOf(start, timeZone))).size,
    flat: 1,
  };
  return components.map(({ id, billing_profile_id, unit, rate, factor, min_quantity }) => {
    const quantity = largerOf(units[unit], min_quantity ?? 0);
    const billable_amount = amountOf(currency, quantity, rate, factor);
    return { billing_profile_id, billing_component_id: id, quantity, unit, rate, factor, billable_amount, currency };
  });
};
