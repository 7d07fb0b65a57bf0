import type { DerivedWage } from './derive.ts';
import { isSame } from './money.ts';

/** A wage that was derived before, and perhaps changed by hand since; decimals as texts. */
export interface KnownWage {
  readonly id: number;
  readonly wage_type_id: number;
  readonly base_value: string | null;
  readonly factor: string;
  readonly payable_amount: string | null;
  readonly derived_base_value: string | null;
  readonly derived_factor: string | null;
}

/** A known wage as it is from now on. */
export interface KeptWage extends KnownWage {
  readonly is_valid: boolean;
}

/** What a derivation does to the wages that are there. */
export interface Reconciled {
  readonly added: readonly DerivedWage[];
  readonly kept: readonly KeptWage[];
  /** Ids of those that were changed by hand and that nothing is worked for any more. */
  readonly stale: readonly number[];
  /** Ids. */
  readonly removed: readonly number[];
}

const isEdited = (wage: KnownWage): boolean =>
  !isSame(wage.base_value, wage.derived_base_value) || !isSame(wage.factor, wage.derived_factor);

/**
 * Brings the wages of one assignment to what was derived. Those that were changed by hand stay, and are no longer valid as soon as a
 * derivation comes to another result than the one that was changed.
 */
export const reconcile = (known: readonly KnownWage[], derived: readonly DerivedWage[]): Reconciled => {
  const byType = new Map(derived.map(wage => [wage.wage_type_id, wage]));
  const types = new Set(known.map(({ wage_type_id }) => wage_type_id));
  const kept: KeptWage[] = [];
  const stale: number[] = [];
  const removed: number[] = [];
  for (const wage of known) {
    const now = byType.get(wage.wage_type_id);
    if (!isEdited(wage)) {
      if (now) kept.push({ ...wage, ...now, ...asDerived(now), is_valid: true });
      else removed.push(wage.id);
    } else if (!now) {
      stale.push(wage.id);
    } else if (!isSame(now.base_value, wage.derived_base_value) || !isSame(now.factor, wage.derived_factor)) {
      kept.push({ ...wage, ...asDerived(now), is_valid: false });
    }
  }
  return { added: derived.filter(({ wage_type_id }) => !types.has(wage_type_id)), kept, stale, removed };
};

/** What a wage notes of its derivation. */
export const asDerived = ({ base_value, factor }: DerivedWage) => ({
  derived_base_value: base_value,
  derived_factor: factor,
});
