import { type BillingTerms, deriveBillings } from '../domain/billing/derive.ts';
import type { WorkedTimes } from '../domain/work/worked.ts';
import type { EventFunction } from './events.ts';
import { functionNames } from './words.ts';

/** The client with a billing profile of its own. */
const keyAccount = 1;

const standard = { id: 1, name: 'Standard', external_id: 'BP-1', client_id: null, currency: 'EUR', is_default: true };
const special = {
  id: 2,
  name: 'Key account',
  external_id: 'BP-2',
  client_id: keyAccount,
  currency: 'EUR',
  is_default: true,
};

/** The prices of all functions by the hour: twice the hourly pay, for at least four hours. */
const hourly = (first: number, billing_profile_id: number, factor: number) =>
  functionNames.map(([name, , rate], index) => ({
    id: first + index,
    billing_profile_id,
    name: `${name}, hour`,
    function_id: index + 1,
    rate: rate * 2,
    unit: 'hour' as const,
    factor,
    min_quantity: 4,
    tax_rate: 19,
  }));

/** A price that applies to every function. */
const general = (id: number, billing_profile_id: number, name: string, unit: 'day' | 'flat', rate: number) => ({
  id,
  billing_profile_id,
  name,
  function_id: null,
  rate,
  unit,
  factor: 1,
  min_quantity: null,
  tax_rate: 19,
});

const prices = [
  ...hourly(1, standard.id, 1),
  general(functionNames.length + 1, standard.id, 'Travel, flat', 'flat', 9.5),
  ...hourly(functionNames.length + 2, special.id, 0.95),
  general(2 * functionNames.length + 2, special.id, 'Work clothes, day', 'day', 3.2),
];

/** Makes the default billing profiles of all clients and of one client, with prices of all functions. */
export const makeBilling = () => ({
  billing_profiles: [standard, special],
  billing_components: prices.map(component => ({ ...component, external_id: `BC-${component.id}` })),
});

/** Returns the bill for work in an event function, as an approval derives it. */
export type BillOf = (target: EventFunction, works: readonly WorkedTimes[]) => readonly object[];

/** Creates the calculation of bills. */
export const createBilling = (timeZone: string): BillOf => {
  const termsOf = ({ event, function_id }: EventFunction): BillingTerms => {
    const { id, currency } = event.client_id === keyAccount ? special : standard;
    const components = prices.filter(
      price => price.billing_profile_id === id && (price.function_id === null || price.function_id === function_id),
    );
    return { currency, components };
  };
  return (target, works) =>
    deriveBillings(works, termsOf(target), timeZone).map(billing => ({
      ...billing,
      quantity: Number(billing.quantity),
      billable_amount: Number(billing.billable_amount),
    }));
};
