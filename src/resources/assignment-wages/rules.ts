import { fieldError } from '../../core/errors.ts';
import { isWithin, payOf } from '../../domain/pay/money.ts';
import { freeze, lockAround, lockedAssignment } from '../../domain/work/lock.ts';
import { bookedErrors } from '../../domain/work/plausible.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/** The payable amount is computed from base value and factor, until the assignment is approved. */
export const assignmentWages: Rules = {
  lock: lockAround('assignment_wages'),
  check: async ({ before, after }, transaction) => {
    const assignment = await lockedAssignment((after ?? before)?.assignment_id ?? null, transaction);
    const frozen = freeze(assignment, 'assignment_id');
    if (frozen.length > 0 || !after) return { errors: frozen };
    const errors = isSame(before, after) ? [] : [...bookedErrors(assignment, 'assignment_id')];
    const payable = payableOf(after);
    return payable === null || isWithin(payable, -9_999_999_999, 9_999_999_999)
      ? { errors }
      : { errors: [...errors, fieldError('out_of_range', 'factor', 'base_value times factor is out of range.')] };
  },
  follow: async ({ before, after }, { kysely }) => {
    if (!after) return;
    const isAdded = before === null;
    if (isSame(before, after) || (isAdded && typeof after.payable_amount === 'number')) return;
    await kysely
      .updateTable('assignment_wages')
      .set({ payable_amount: payableOf(after), ...(!isAdded && { is_valid: true }) })
      .where('id', '=', Number(after.id))
      .execute();
  },
};

const isSame = (before: Values | null, after: Values): boolean =>
  before !== null && before.base_value === after.base_value && before.factor === after.factor;

/** Null without a base value. */
const payableOf = ({ base_value, factor }: Values): string | null =>
  typeof base_value === 'number' ? payOf(base_value, Number(factor)) : null;
