import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Values } from '../../engine/body.ts';
import { baseValueOf, type WageType } from './derive.ts';
import { amountOf, isStorable, isWithin } from './money.ts';
import type { Profile } from './profile.ts';

/** The maximum factor of a wage. */
const MOST = 99_999_999;

/**
 * Returns the errors of a wage proposal under the profile of its assignment.
 * Without one, of a wage type that the profile does not have or that is in another currency, of a value whose amount is
 * out of range.
 */
export const termErrors = (proposal: Values, profile: Profile | undefined): readonly FieldError[] => {
  if (!profile) return [fieldError('wage_profile_missing', 'wage_type_id')];
  const wageType = profile.wageTypes.find(({ id }) => id === proposal.wage_type_id);
  if (!wageType) {
    const message = `The wage profile of the assignment has no wage type ${proposal.wage_type_id}.`;
    return [fieldError('reference_not_found', 'wage_type_id', message)];
  }
  if (!isInCurrency(profile, wageType)) return [fieldError('currency_mismatch', 'wage_type_id')];
  const value = Number(proposal.value);
  const payable = amountOf(profile.currency, value, baseValueOf(wageType));
  return isWithin(value, -MOST, MOST) && isStorable(payable) ? [] : [fieldError('out_of_range', 'value')];
};

/** Returns whether a wage type has its profile's currency; stored formats may differ. */
const isInCurrency = ({ currency }: Profile, { currency_format: format }: WageType): boolean =>
  format === currency || !/^[A-Z]{3}$/.test(format ?? '');
