import { LRUCache } from 'lru-cache';
import { type HttpParameter, httpParameters, listParameters } from '../../generated/parameters.ts';
import { cachedBy } from '../core/cached.ts';
import { ApiError } from '../core/errors.ts';
import { suggestion } from '../core/names.ts';
import { type FieldSet, rejectDeleted } from '../core/resource/fields.ts';
import type { Field } from '../core/resource/resource.ts';

/** Parameters that the HTTP layer leaves to a listing when they are given otherwise than it reads them. */
const unread = new Map<string, string>([
  ['authorization_bearer', 'only with callback, and without brackets'],
  ['callback', 'only without brackets'],
] satisfies [HttpParameter, string][]);

/**
 * The field with a name.
 * @param parameter the query parameter that contains the name, for the message
 * @throws ApiError unknown_field (400) with a suggestion, field_deleted (410)
 */
export const findField = (set: FieldSet, name: string, parameter: string): Field => {
  const field = set.byName.get(name);
  if (field) return field;
  rejectDeleted(set, name);
  const read = parameter === name ? unread.get(name) : undefined;
  if (read) throw new ApiError('unknown_field', { message: `${name} is read ${read}.` });
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
 * The field with a name, or the fields with it as a dotted prefix.
 * `event` selects `event.name`, `event.start`, …
 * @throws ApiError unknown_field (400), field_deleted (410)
 */
const selectField = (set: FieldSet, name: string, parameter: string): readonly Field[] => {
  if (set.byName.has(name)) return [findField(set, name, parameter)];
  const group = set.fields.filter(field => field.name.startsWith(`${name}.`));
  return group.length > 0 ? group : [findField(set, name, parameter)];
};

/** Number of selections that are kept of each field set. */
const kept = 100;
/** Selections by their names: a known one is the same array, for which compiled code is found. */
const selectionsOf = cachedBy((_: FieldSet) => new LRUCache<string, readonly Field[]>({ max: kept }));

/**
 * The fields with these names, each once; null: all fields. The same array for the same names.
 * @throws ApiError unknown_field (400), field_deleted (410)
 */
export const selectFields = (set: FieldSet, names: readonly string[] | null, parameter: string): readonly Field[] => {
  if (names === null) return set.fields;
  const known = selectionsOf(set);
  const key = names.join();
  const fields = known.get(key) ?? [...new Set(names.flatMap(name => selectField(set, name, parameter)))];
  known.set(key, fields);
  return fields;
};
