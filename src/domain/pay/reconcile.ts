import type { DerivedWage } from './derive.ts';
import { isSame } from './money.ts';

/** A stored wage that was derived earlier and may have been edited since; decimals as strings. */
export interface KnownWage {
  readonly id: number;
  readonly wage_type_id: number;
  readonly base_value: string | null;
  readonly factor: string;
  readonly payable_amount: string | null;
  readonly derived_base_value: string | null;
  readonly derived_factor: string | null;
}

/** A stored wage with its new values. */
export interface KeptWage extends KnownWage {
  readonly is_valid: boolean;
}

/** What the derivation now yields in place of an edited wage, which keeps its values and currency. */
export type OutdatedWage = Pick<KeptWage, 'id' | 'derived_base_value' | 'derived_factor' | 'is_valid'>;

/** The changes that a derivation makes to the stored wages. */
export interface Reconciled {
  readonly added: readonly DerivedWage[];
  readonly kept: readonly KeptWage[];
  /** Edited wages whose derived values differ from those before the edit: they become invalid. */
  readonly outdated: readonly OutdatedWage[];
  /** Ids of edited wages without work any more: they become invalid. */
  readonly stale: readonly number[];
  /** Ids of wages to delete. */
  readonly removed: readonly number[];
}

const isEdited = (wage: KnownWage): boolean =>
  !isSame(wage.base_value, wage.derived_base_value) || !isSame(wage.factor, wage.derived_factor);

/**
 * Returns the changes that bring the wages of one assignment to the derived ones.
 * Edited wages keep what they show, but become invalid when the derived values differ from those before the edit.
 */
export const reconcile = (known: readonly KnownWage[], derived: readonly DerivedWage[]): Reconciled => {
  const byType = new Map(derived.map(wage => [wage.wage_type_id, wage]));
  const types = new Set(known.map(({ wage_type_id }) => wage_type_id));
  const kept: KeptWage[] = [];
  const outdated: OutdatedWage[] = [];
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
      outdated.push({ id: wage.id, ...asDerived(now), is_valid: false });
    }
  }
  return { added: derived.filter(({ wage_type_id }) => !types.has(wage_type_id)), kept, outdated, stale, removed };
};

/** Returns the fields in which a wage stores its derived values. */
export const asDerived = ({ base_value, factor }: DerivedWage) => ({
  derived_base_value: base_value,
  derived_factor: factor,
});
