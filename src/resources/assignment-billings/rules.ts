import { type FieldError, fieldError } from '../../core/errors.ts';
import { amountOf, isWithin, largestAmount } from '../../domain/pay/money.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/** The amount follows the factor; billed items stay, and disabled ones are not billed. */
export const assignmentBillings: Rules = {
  check: async ({ before, after }) => {
    if (!before || !after) return { errors: [] };
    const errors: FieldError[] = [];
    const isBilled = before.billed_on !== null && after.billed_on !== null;
    for (const field of ['factor', 'is_disabled'])
      if (isBilled && after[field] !== before[field]) errors.push(fieldError('assignment_billed', field));
    const isDifference = after.corrects_billing_id !== null;
    if (isDifference && after.factor !== before.factor) errors.push(fieldError('read_only', 'factor'));
    errors.push(...disabledErrors(before.billed_on, after.billed_on, after.is_disabled === 1));
    if (!isDifference && !isWithin(billableOf(after), 0, largestAmount))
      errors.push(fieldError('out_of_range', 'factor', 'quantity times rate times factor is out of range.'));
    return { errors };
  },
  follow: async ({ before, after }, { kysely }) => {
    if (!after || before?.factor === after.factor) return;
    await kysely
      .updateTable('assignment_billings')
      .set({ billable_amount: billableOf(after) })
      .where('id', '=', Number(after.id))
      .execute();
  },
};

/** Returns the error of a disabled billing that is to be billed. */
export const disabledErrors = (before: unknown, after: unknown, isDisabled: boolean): readonly FieldError[] =>
  after !== null && before === null && isDisabled
    ? [fieldError('invalid_transition', 'billed_on', 'billed_on: a disabled item is not billed.')]
    : [];

const billableOf = ({ currency, quantity, rate, factor }: Values): string =>
  amountOf(String(currency), Number(quantity), Number(rate), Number(factor));
