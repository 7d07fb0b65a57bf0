import type { components } from '../../../generated/api.ts';
import { ApiError } from '../errors.ts';
import { suggestion } from '../names.ts';
import type { Tenant } from '../principal.ts';
import type { Category } from './categories.ts';
import type { Field, Relation, Resource } from './resource.ts';

/** A resource's fields for one tenant, including the tenant's own. */
export interface FieldSet<Name extends string = string> {
  readonly resource: Resource<Name>;
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** The relations of the resource, without those that a field hidden from the API user leads to or from. */
  readonly relations: readonly Relation[];
  /** The fields that the tenant has deleted, by their names. */
  readonly deleted: ReadonlyMap<string, DeletedField>;
  /** The set with the fields that are hidden from the API user; undefined: none is hidden. */
  readonly complete?: FieldSet<Name>;
  /** The API user may not read the resource. */
  readonly unreadable?: true;
  /** The records that the API user may read; undefined: all. */
  readonly restriction?: Restriction;
  /** The fields of all resources as they exist for the API user; undefined: nothing is hidden. */
  readonly view?: Fields;
}

/** What is left of a field that has been deleted: its category, and what it referred to. */
export type DeletedField = Pick<Field, 'sensitive' | 'references'>;

/** The records of a resource that an API user may read. */
export type Restriction = ReferredRecords | UncategorisedRecords | OwnedRecords;

/** The API user's own records whose field `about` has one of the values. */
interface OwnedRecords {
  readonly userId: number;
  readonly own: string;
  readonly about: string;
  readonly values: readonly string[];
}

/** The records whose column has none of the hidden categories. */
interface UncategorisedRecords {
  readonly column: string;
  readonly hidden: readonly Category[];
}

/** A field that refers to records, by their key or by another field. */
export interface ReferringField {
  readonly resource: string;
  readonly table: string;
  readonly field: Field;
  readonly by: string;
}

/** Readable records where referring fields are hidden: own, open, and those that visible fields name. */
interface ReferredRecords {
  readonly userId: number;
  /** The field with the id of the API user whose record it is. */
  readonly own: string;
  /** Records whose field has this value are open. */
  readonly open: { readonly field: string; readonly value: string };
  /** The visible fields; null: none is hidden, so that all records can be read. */
  readonly holders: readonly ReferringField[] | null;
  /** Unreadable fields whose records do not exist, even the API user's own. */
  readonly guards: readonly ReferringField[];
}

/** A working-time rule of a tenant that is not off, as it is stored. */
export interface TenantRule {
  readonly id: number;
  readonly kind: components['schemas']['WorkRuleKind'];
  readonly mode: 'warn' | 'refuse';
  readonly basis: 'planned' | 'worked' | 'both';
  readonly parameters: object;
  readonly applies_to: object;
  readonly except: object | null;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
  /** Null: that of the tenant. */
  readonly time_zone: string | null;
}

/** The fields of all resources for one tenant: a map that has each of them. */
export interface Fields {
  /** The tenant's working-time rules that are not off; undefined: none. */
  readonly rules?: readonly TenantRule[];
  /** The categories of the tenant's attributes that have one, by the attribute's id. */
  readonly categories?: ReadonlyMap<number, Category>;
  /** The fields without restrictions; undefined: these. */
  readonly complete?: Fields;
  /** The categories that are hidden from the API user; undefined: none. */
  readonly hidden?: readonly Category[];
  get<Name extends string>(resource: Resource<Name>): FieldSet<Name>;
}

const sets = new WeakMap<Resource, unknown>();

/** The fields that the spec declares for a resource, without any tenant's own. Cached. */
export const fieldsOf = <Name extends string>(resource: Resource<Name>): FieldSet<Name> => {
  let set = sets.get(resource) as FieldSet<Name> | undefined;
  if (!set) {
    const { fields, relations } = resource;
    const byName = new Map(fields.map(field => [field.name, field]));
    set = { resource, fields, byName, relations, deleted: new Map() };
    sets.set(resource, set);
  }
  return set;
};

/** Returns the set with the fields that are hidden from the API user, which what is stored consists of. */
export const completeSet = <Name extends string>(set: FieldSet<Name>): FieldSet<Name> => set.complete ?? set;

/** Returns the fields without restrictions, for what the service does on its own account. */
export const completeFields = (fields: Fields): Fields => fields.complete ?? fields;

/** Whether the field exists, but not for the API user. */
export const isConcealed = (set: FieldSet, name: string): boolean =>
  !set.byName.has(name) && completeSet(set).byName.has(name);

/** Returns what is said of a name that no field has, with the nearest one that a field has. */
export const noField = (name: string, { byName, resource }: FieldSet): string =>
  `${name.slice(0, 64)} is not a field of ${resource.name}.${suggestion(name, [...byName.keys()])}`;

/** Returns a field of the resource's source by its name in the spec, including internal fields. */
export const sourceField = ({ byName, resource }: FieldSet, name: string): Field => {
  const field = byName.get(name) ?? resource.hidden?.find(hidden => hidden.name === name);
  if (!field) throw new Error(`${resource.name} has no field ${name}.`);
  return field;
};

/**
 * Rejects the name of a deleted field.
 * @throws ApiError field_deleted (410) if the tenant has deleted the field with that name
 */
export const rejectDeleted = (set: FieldSet, name: string): void => {
  if (set.deleted.has(name)) throw new ApiError('field_deleted', { message: `${name} has been deleted.` });
};

/** Returns the fields of a resource for a caller; null: it lacks the scope, or its tenant the module. */
export const readableFields = (
  resource: Resource,
  {
    fields,
    principal: { tenant },
  }: { readonly fields: Fields; readonly principal: { readonly tenant: Pick<Tenant, 'modules'> } },
): FieldSet | null => {
  const set = fields.get(resource);
  return set.unreadable || (resource.module !== null && !tenant.modules.has(resource.module)) ? null : set;
};
