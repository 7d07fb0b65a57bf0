import { ApiError } from '../errors.ts';
import { parameterNames, suggestion } from '../names.ts';
import type { Field, Resource } from './resource.ts';

/** A resource's fields for one tenant, including the tenant's own. */
export interface FieldSet<Name extends string = string> {
  readonly resource: Resource<Name>;
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** Names of fields that the tenant has deleted. */
  readonly deleted: ReadonlySet<string>;
}

/** The fields of all resources for one tenant. */
export interface Fields {
  of<Name extends string>(resource: Resource<Name>): FieldSet<Name>;
}

const sets = new WeakMap<Resource, unknown>();

/** The fields that the spec declares for a resource, without any tenant's own. Cached. */
export const fieldsOf = <Name extends string>(resource: Resource<Name>): FieldSet<Name> => {
  let set = sets.get(resource) as FieldSet<Name> | undefined;
  if (!set) {
    const { fields } = resource;
    set = { resource, fields, byName: new Map(fields.map(field => [field.name, field])), deleted: new Set() };
    sets.set(resource, set);
  }
  return set;
};

/**
 * Rejects the name of a deleted field.
 * @throws ApiError field_deleted (410) if the tenant has deleted the field with that name
 */
export const rejectDeleted = (set: FieldSet, name: string): void => {
  if (set.deleted.has(name)) throw new ApiError('field_deleted', { message: `${name} has been deleted.` });
};

/**
 * The field with a name.
 * @param parameter the query parameter that contains the name, for the message
 * @throws ApiError unknown_field (400) with a suggestion, field_deleted (410)
 */
export const findField = (set: FieldSet, name: string, parameter: string): Field => {
  const field = set.byName.get(name);
  if (field) return field;
  rejectDeleted(set, name);
  const hint = suggestion(name, [...set.byName.keys(), ...(parameter === name ? parameterNames : [])]);
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
