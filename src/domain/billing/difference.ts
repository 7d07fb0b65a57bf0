import { isSame, productOf, sumOf } from '../pay/money.ts';
import type { DerivedBilling } from './derive.ts';

/** A billing that stays: it has been billed, or a difference that has been billed corrects it. */
export interface StayingBilling extends DerivedBilling {
  readonly id: number;
  readonly client_id: number | null;
  readonly project_id: number;
  /** Null unless it is a difference itself. */
  readonly corrects_billing_id: number | null;
}

/** What is added to the billings of an assignment; by default for its own client and project. */
export type AddedBilling = DerivedBilling &
  Partial<Pick<StayingBilling, 'client_id' | 'project_id'>> & { readonly corrects_billing_id: number | null };

/**
 * Returns what is derived from the work of an assignment less its billings that stay.
 * By component and currency.
 * A difference refers to the first billing that it corrects, and is for its client and project.
 */
export const missingBillings = (
  derived: readonly DerivedBilling[],
  billed: readonly StayingBilling[],
): readonly AddedBilling[] => {
  const billedOf = Map.groupBy(billed, keyOf);
  const derivedKeys = new Set(derived.map(keyOf));
  return [
    ...derived.flatMap(billing => lacking(billing, billedOf.get(keyOf(billing)) ?? [])),
    // What no component bills any more is taken back.
    ...[...billedOf].flatMap(([key, gone]) => {
      const [first] = gone;
      return derivedKeys.has(key) || !first ? [] : lacking({ ...first, quantity: '0', billable_amount: '0' }, gone);
    }),
  ];
};

const keyOf = ({ billing_component_id, currency }: DerivedBilling): string => `${billing_component_id} ${currency}`;

const lacking = (owed: DerivedBilling, billed: readonly StayingBilling[]): readonly AddedBilling[] => {
  const { billing_profile_id, billing_component_id, unit, rate, factor, currency, quantity, billable_amount } = owed;
  const terms = { billing_profile_id, billing_component_id, unit, rate, factor, currency };
  const [first] = billed;
  if (!first) return [{ ...terms, quantity, billable_amount, corrects_billing_id: null }];
  const left = (name: 'quantity' | 'billable_amount'): string =>
    sumOf([owed[name], ...billed.map(other => productOf(other[name], -1))]);
  const difference = { quantity: left('quantity'), billable_amount: left('billable_amount') };
  if (isSame(difference.quantity, 0) && isSame(difference.billable_amount, 0)) return [];
  const { client_id, project_id, id, corrects_billing_id } = first;
  return [{ ...terms, ...difference, client_id, project_id, corrects_billing_id: corrects_billing_id ?? id }];
};
