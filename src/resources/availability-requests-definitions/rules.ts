import { type FieldError, fieldError } from '../../core/errors.ts';
import { definitionOf, repeatedAt, slotErrors } from '../../domain/availability/availability.ts';
import type { Rules } from '../../engine/rules.ts';

/** A definition's ids are unique; it requests its own time slots, on days of the request, each once. */
export const availabilityRequestsDefinitions: Rules = {
  check: async ({ before, after }, { kysely }) => {
    if (!after) return { errors: [] };
    const request = await kysely
      .selectFrom('availability_requests')
      .select(['from', 'to'])
      .where('id', '=', Number(after.availability_request_id))
      .executeTakeFirst();
    const definition = definitionOf(after);
    const { rules, time_slots, requested_availabilities: requested } = definition;
    const errors: FieldError[] = [
      ...repeatedAt(rules, ({ id }) => id).map(index => fieldError('not_unique', `rules.${index}.id`)),
      ...repeatedAt(time_slots, ({ id }) => id).map(index => fieldError('not_unique', `time_slots.${index}.id`)),
      ...slotErrors(
        'requested_availabilities',
        requested,
        request ?? { from: null, to: null },
        definition,
        definitionOf(before ?? {}).requested_availabilities,
      ),
    ];
    return { errors: errors.slice(0, 100) };
  },
};
