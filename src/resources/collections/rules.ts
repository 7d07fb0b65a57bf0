import { renewStatement } from '../../attributes/registration.ts';
import { ApiError } from '../../core/errors.ts';
import type { Rules } from '../../engine/rules.ts';

/** A collection that is not editable, or that fields of the spec choose from, stays. */
export const collections: Rules = {
  check: async ({ before, after }) => {
    if (before?.editable === 0) throw new ApiError('forbidden', { message: 'This collection cannot be changed.' });
    if (after?.deleted === 1 && (before?.identifier ?? null) !== null)
      throw new ApiError('forbidden', { message: 'A predefined collection cannot be deleted.' });
    return { errors: [] };
  },
  follow: async (_, transaction) => {
    await transaction.send(renewStatement(transaction.tenant.id));
  },
};
