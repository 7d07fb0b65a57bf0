import type { components } from '../../../generated/api.ts';
import { resources } from '../../../generated/resources.ts';
import type { Call } from '../../core/call/call.ts';
import type { Json, Reply } from '../../core/call/reply.ts';
import { ApiError, type FieldError, fieldError } from '../../core/errors.ts';
import { decodeRecords } from '../../core/json/records.ts';
import { suggestion } from '../../core/names.ts';
import type { FieldSet, Fields } from '../../core/resource/fields.ts';
import type { Field } from '../../core/resource/resource.ts';
import type { TenantDb } from '../../db/database.ts';
import type { Values } from '../../engine/body.ts';
import { relatedIn } from '../../engine/references/names.ts';
import type { Put } from '../../engine/services.ts';

/** The record that a change request is about. */
export interface ChangeTarget {
  readonly entity: components['schemas']['ChangeableResource'];
  readonly entity_id: number;
}

/** The wanted value of a field, which is named by one of the two or, if they agree, by both. */
export interface WantedChange {
  readonly field?: string;
  readonly attribute_id?: number | null;
  readonly new_value: Json;
}

/** A wanted change of a known field; `path` is that of the change in the body. */
export interface Resolved {
  readonly path: string;
  readonly field: Field;
  /** The member of the PUT that makes the change: the field, or the relation of the reference. */
  readonly member: string;
  readonly value: Json;
}

/** Finds the fields of wanted changes, each of which a PUT may change. */
export const resolve = (
  entity: ChangeTarget['entity'],
  changes: readonly WantedChange[],
  fields: Fields,
): { readonly resolved: readonly Resolved[]; readonly errors: readonly FieldError[] } => {
  const errors: FieldError[] = [];
  const resolved: Resolved[] = [];
  const set = fields.get(resources[entity]);
  const related = relatedIn(set, resources);
  for (const [index, change] of changes.entries()) {
    const path = `changes.${index}`;
    const field = fieldOf(set, change, path, related);
    if ('code' in field) errors.push(field);
    else if (field.access !== 'write')
      errors.push(fieldError('read_only', `${path}.field`, `${field.name} can't be changed.`));
    else if (resolved.some(other => other.field === field))
      errors.push(fieldError('not_unique', `${path}.field`, `${field.name} has another change in this request.`));
    else resolved.push({ path, field, member: memberOf(field, change, related), value: change.new_value });
  }
  return { resolved, errors };
};

type Relations = ReturnType<typeof relatedIn>;

const memberOf = ({ name }: Field, { field = name }: WantedChange, related: Relations): string =>
  related.get(field)?.field?.name === name ? field : name;

const fieldOf = (
  set: FieldSet,
  { field: name, attribute_id: id }: WantedChange,
  path: string,
  related: Relations,
): Field | FieldError => {
  if (name === undefined && !id)
    return fieldError('not_empty', `${path}.field`, `${path}: field or attribute_id is required.`);
  const byId = id ? set.fields.find(({ attribute }) => attribute?.id === id) : undefined;
  if (id && !byId)
    return fieldError('reference_not_found', `${path}.attribute_id`, `${set.resource.name} have no attribute ${id}.`);
  const found = name === undefined ? byId : (set.byName.get(name) ?? related.get(name)?.field);
  if (!found) {
    const hint = suggestion(String(name), [...set.byName.keys()]);
    return fieldError('unknown_field', `${path}.field`, `${name} is not a field of ${set.resource.name}.${hint}`);
  }
  if (byId && byId !== found)
    return fieldError('reference_not_found', `${path}.attribute_id`, `${id} is not the attribute of ${name}.`);
  return found;
};

/**
 * Makes the changes as a PUT of the record would.
 * @returns the record afterwards, or everything that stands against the changes, by their paths
 */
export const putChanges = async (
  { entity, entity_id: id }: ChangeTarget,
  changes: readonly Resolved[],
  { put, call, db }: { readonly put: Put; readonly call: Call; readonly db: TenantDb },
): Promise<{ readonly record: Values } | { readonly errors: readonly FieldError[] }> => {
  const body = Object.fromEntries(changes.map(({ member, value }) => [member, value]));
  try {
    return { record: recordOf(await put({ resource: entity, id, body }, call, db)) };
  } catch (error) {
    return { errors: errorsOf(error, entity, changes) };
  }
};

const errorsOf = (
  error: unknown,
  entity: ChangeTarget['entity'],
  changes: readonly Resolved[],
): readonly FieldError[] => {
  if (!(error instanceof ApiError)) throw error;
  if (error.code === 'not_found') {
    const { singular } = resources[entity];
    return [fieldError('reference_not_found', 'entity_id', `The ${singular} does not exist.`)];
  }
  if (error.code !== 'validation_failed' || !error.errors) throw error;
  return error.errors.map(({ field, ...problem }) => {
    const [name = ''] = field.split('.', 1);
    const change = changes.find(({ member, field: { name: own } }) => name === member || name === own);
    const path = change ? `${change.path}.new_value${field.slice(name.length)}` : field;
    return { ...problem, field: path };
  });
};

/** Returns the record of a response, with decoded values. */
export const recordOf = ({ body }: Reply): Values => {
  if (body?.kind !== 'rows') throw new Error('The response is not a record.');
  return decodeRecords(body.representation) as Values;
};
