import { isDeepStrictEqual } from 'node:util';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Rules } from '../../engine/rules.ts';

const PAID = 3;
const fixed = ['wage_profile_id', 'currency', 'period_start', 'period_end', 'lines'];

/** A paysheet is paid at some time or not at all, and what was paid stays as it is. */
export const paysheets: Rules = {
  check: async ({ before, after }) => {
    if (!after) return { errors: [] };
    const { status, paid_on: paidOn = null } = after;
    const errors: FieldError[] = [];
    if (status === PAID && paidOn === null)
      errors.push(fieldError('not_empty', 'paid_on', 'paid_on: a paid paysheet tells when.'));
    if (status !== PAID && paidOn !== null)
      errors.push(fieldError('invalid_transition', 'status', 'status: with paid_on it is 3.'));
    const changed = before?.status === PAID ? fixed.filter(name => !isDeepStrictEqual(before[name], after[name])) : [];
    errors.push(...changed.map(name => fieldError('read_only', name, `${name} of a paid paysheet can't change.`)));
    return { errors };
  },
};
