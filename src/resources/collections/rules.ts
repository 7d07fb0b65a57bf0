import { renewStatement } from '../../attributes/registration.ts';
import { ApiError } from '../../core/errors.ts';
import type { Rules } from '../../engine/rules.ts';

/** A collection that is not editable cannot be changed. */
export const collections: Rules = {
  check: async ({ before }) => {
    if (before?.editable === 0) throw new ApiError('forbidden', { message: 'This collection cannot be changed.' });
    return { errors: [] };
  },
  follow: async (_, transaction) => {
    await transaction.send(renewStatement(transaction.tenant.id));
  },
};
