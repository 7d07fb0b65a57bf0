import { fieldError } from '../../core/errors.ts';
import type { Rules } from '../../engine/rules.ts';

/** The last day of a request only moves to a later one: responses that were possible stay possible. */
export const availabilityRequests: Rules = {
  check: async ({ before, after }) => {
    const [old, now] = [before?.to ?? null, after?.to ?? null];
    if (!before || !after || now === null || now === old || (old !== null && now > old)) return { errors: [] };
    return { errors: [fieldError('out_of_range', 'to', `to can only be later than ${old ?? 'it is'}.`)] };
  },
};
