import { isDeepStrictEqual } from 'node:util';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Rules } from '../../engine/rules.ts';

const PAID = 3;
const fixed = ['wage_profile_id', 'currency', 'period_start', 'period_end', 'lines'];

/** A paid paysheet has a payment date, an unpaid one has none; a paid one cannot be changed. */
export const paysheets: Rules = {
  check: async ({ before, after }) => {
    if (!after) return { errors: [] };
    const { status, paid_on: paidOn = null } = after;
    const errors: FieldError[] = [];
    if (status === PAID && paidOn === null)
      errors.push(fieldError('not_empty', 'paid_on', 'paid_on: required for a paid paysheet.'));
    if (status !== PAID && paidOn !== null)
      errors.push(fieldError('invalid_transition', 'status', 'status: must be 3 if paid_on is set.'));
    const changed = before?.status === PAID ? fixed.filter(name => !isDeepStrictEqual(before[name], after[name])) : [];
    errors.push(...changed.map(name => fieldError('read_only', name, `${name} of a paid paysheet cannot be changed.`)));
    return { errors };
  },
};
