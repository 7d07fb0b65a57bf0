import { httpParameters, listParameters } from '../../generated/parameters.ts';
import { ApiError } from '../core/errors.ts';
import { suggestion } from '../core/names.ts';
import { type FieldSet, rejectDeleted } from '../core/resource/fields.ts';
import type { Field } from '../core/resource/resource.ts';

/**
 * The field with a name.
 * @param parameter the query parameter that contains the name, for the message
 * @throws ApiError unknown_field (400) with a suggestion, field_deleted (410)
 */
export const findField = (set: FieldSet, name: string, parameter: string): Field => {
  const field = set.byName.get(name);
  if (field) return field;
  rejectDeleted(set, name);
  const hint = suggestion(name, [
    ...set.byName.keys(),
    ...(parameter === name ? [...listParameters, ...httpParameters] : []),
  ]);
  const shown = name.slice(0, 64);
  const message =
    parameter === name
      ? `${shown} is neither a parameter nor a field of ${set.resource.name}.`
      : `${parameter}: ${shown} is not a field of ${set.resource.name}.`;
  throw new ApiError('unknown_field', { message: message + hint });
};

/**
 * The field with a name, or the fields with it as a dotted prefix: `event` selects `event.name`, `event.start`, …
 * @throws ApiError unknown_field (400), field_deleted (410)
 */
export const selectFields = (set: FieldSet, name: string, parameter: string): readonly Field[] => {
  if (set.byName.has(name)) return [findField(set, name, parameter)];
  const group = set.fields.filter(field => field.name.startsWith(`${name}.`));
  return group.length > 0 ? group : [findField(set, name, parameter)];
};
