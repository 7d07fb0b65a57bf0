import { type FieldError, fieldError } from '../../core/errors.ts';
import { hasScale } from '../../core/numbers.ts';
import type { Transaction } from '../../db/database.ts';
import { amountOf, isStorable } from '../../domain/pay/money.ts';
import { currencyOf, profilesOf } from '../../domain/pay/profile.ts';
import { freeze, lockAround, lockedAssignment } from '../../domain/work/lock.ts';
import { bookedErrors } from '../../domain/work/plausible.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/** The payable amount is computed from base value and factor until the assignment is approved. */
export const assignmentWages: Rules<string> = {
  lock: lockAround('assignment_wages'),
  check: async ({ before, after }, transaction) => {
    const assignment = await lockedAssignment((after ?? before)?.assignment_id ?? null, transaction);
    const frozen = freeze(assignment, 'assignment_id');
    if (frozen.length > 0 || !after) return { errors: frozen };
    const errors = isSame(before, after) ? [] : [...bookedErrors(assignment, 'assignment_id')];
    if (before?.base_value !== after.base_value) errors.push(...scaleErrors(after));
    const terms = await termsOf(before, after, transaction);
    const payable = payableOf(after, terms.currency);
    if (payable !== null && !isStorable(payable))
      errors.push(fieldError('out_of_range', 'factor', 'base_value times factor is out of range.'));
    return { errors: [...errors, ...terms.errors], found: terms.currency };
  },
  follow: async ({ before, after }, { kysely }, _, currency) => {
    if (!after || !currency || isSame(before, after)) return;
    const given = before === null && typeof after.payable_amount === 'number' ? after.payable_amount : null;
    const is_amount_given = given !== null && hasBase(after);
    const payable_amount = given === null ? payableOf(after, currency) : amountOf(currency, given, 1);
    // A given amount stays as long as there is no base value to compute another from.
    const amount = hasBase(before) || hasBase(after) || before === null ? { payable_amount, is_amount_given } : {};
    await kysely
      .updateTable('assignment_wages')
      .set({ ...amount, ...(before === null ? { currency } : { is_valid: true }) })
      .where('id', '=', Number(after.id))
      .execute();
  },
};

const hasBase = (wage: Values | null): boolean => typeof wage?.base_value === 'number';

const isSame = (before: Values | null, after: Values): boolean =>
  before !== null && before.base_value === after.base_value && before.factor === after.factor;

/** Null without a base value. */
const payableOf = ({ base_value, factor }: Values, currency: string): string | null =>
  typeof base_value === 'number' ? amountOf(currency, Number(factor), base_value) : null;

/** The number of decimal places of a base value that a client writes; those of wage types have more. */
const writtenPlaces = 4;

const scaleErrors = ({ base_value }: Values): readonly FieldError[] => {
  if (typeof base_value !== 'number' || hasScale(writtenPlaces, base_value)) return [];
  const message = `base_value: a number with at most ${writtenPlaces} decimal places is expected.`;
  return [fieldError('out_of_range', 'base_value', message)];
};

/**
 * Returns the currency of a wage, and the error of one that is not that of its assignment.
 * A disabled wage is not paid; of others, only what decides about the pay is checked.
 */
const termsOf = async (
  before: Values | null,
  after: Values,
  transaction: Transaction,
): Promise<{ readonly currency: string; readonly errors: readonly FieldError[] }> => {
  const isWritten = !isSame(before, after) || before?.is_disabled !== after.is_disabled;
  if (before && (!isWritten || after.is_disabled === 1)) return { currency: String(before.currency), errors: [] };
  const assignmentId = Number(after.assignment_id);
  const paidIn = (await profilesOf([assignmentId], transaction)).get(assignmentId)?.currency;
  const own = before ? String(before.currency) : await currencyOf(after.wage_profile_id ?? null, transaction);
  const currency = own ?? paidIn ?? 'EUR';
  const isPaid = after.is_disabled !== 1 && paidIn !== undefined;
  return {
    currency,
    errors: isPaid && currency !== paidIn ? [fieldError('currency_mismatch', 'wage_profile_id')] : [],
  };
};
