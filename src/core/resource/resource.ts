import type { Category } from '../../../generated/categories.ts';
import type { Module } from '../../../generated/modules.ts';
import type { Parameter } from '../call/parameter.ts';
import type { Json } from '../json/value.ts';
import type { Lines } from '../lines.ts';
import type { Forgettable } from './forgettable.ts';
import type { Mask, MaskedSchema } from './mask.ts';
import type { ShownValue } from './shown.ts';
import type { DescribesRecordsOf, Withheld } from './withheld.ts';

export type { Module };

// The generated description of resources (generated/resources.ts), which is all that the engine may depend on.

/** The type of a field: how values are stored, compared, parsed and written. */
export type FieldType =
  /** bigint or integer column; a JSON integer. */
  | 'integer'
  /** numeric column; a JSON number with at most the column's scale. */
  | 'number'
  /** boolean column; 0 or 1 in responses; 0, 1, true or false in bodies and filters. */
  | 'flag'
  /** text column under the ICU root collation. */
  | 'text'
  /** date column; YYYY-MM-DD. */
  | 'date'
  /** timestamptz(0) column; RFC 3339 in UTC. */
  | 'date_time'
  /** jsonb column; any JSON object or array. */
  | 'json';

/** When a body may contain the field. `read`: never; `create`: POST; `update`: PUT; `write`: both. */
export type FieldAccess = 'read' | 'create' | 'update' | 'write';

/** A field of a resource. Its columns have the same name, unless it has `storage`. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly access: FieldAccess;
  /** Not written by clients: derived, calculated, or a timestamp of the server. Ignored in a PUT. */
  readonly computed?: true;
  /** A POST must contain it. */
  readonly required?: true;
  /** May be null; otherwise a null in a body is `not_empty`. */
  readonly nullable?: true;
  /** Value if a POST omits the field. */
  readonly default?: Json;
  /** The values of an enumeration. */
  readonly values?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Number of decimal places of the column (type `number`). */
  readonly scale?: number;
  /** Type `text`: how many lines a value can have. */
  readonly lines?: Lines;
  /** A regular expression that the whole string must match. */
  readonly pattern?: string;
  /** The string's format: `email`, `phone`, `time-zone`, `json`, … */
  readonly format?: string;
  /** The resource whose id, or list of ids, the field contains; checked within the tenant on every write. */
  readonly references?: string;
  /** The field of that resource that it contains in place of the id. */
  readonly referencesBy?: string;
  /** Whether the rules of the resource decide which records it can refer to, also if they are inactive. */
  readonly judged?: true;
  /** Whether the records that it refers to exist only for API users who can read it. */
  readonly guardsReading?: true;
  /** Type `json`: the members that are lists of ids, and the resource of each; checked likewise. */
  readonly memberReferences?: Readonly<Record<string, string>>;
  /** The member of bodies with the external id of the reference: `client` for `client_id`. */
  readonly byExternalId?: string;
  /** A field of this resource, and for each of its values the resource whose id this field contains. */
  readonly referencesOneOf?: { readonly field: string; readonly resources: Readonly<Record<string, string>> };
  /** Category of sensitive data: fields of a category can be hidden from API users. */
  readonly sensitive?: Category;
  /** Type `json`: the sensitive parts of the value's schema. */
  readonly sensitiveParts?: MaskedSchema;
  /** Type `json`: the field that names the resource whose fields the members `field` of its list name. */
  readonly namesFieldsOf?: string;
  /** Type `json`: a list of objects that name attributes in their member `attribute_id`. */
  readonly namesAttributes?: true;
  /** Whether the value is a code of an error. */
  readonly namesError?: true;
  /** The codes in place of which the API user is shown another one. */
  readonly saidAs?: Readonly<Record<string, string>>;
  /** The records that the value is about: readers without their resource get null or the kept member. */
  readonly describesRecordsOf?: DescribesRecordsOf;
  /** When the value is withheld from the API user. */
  readonly withheld?: Withheld;
  /** Type `json`: a change of a record, with the names of its `resource` and `fields`, or something else. */
  readonly namesChange?: true;
  /** What is hidden from the API user in the field's values. */
  readonly mask?: Mask;
  /** Returns what the API user is shown of a value; undefined: all of it. */
  readonly show?: ShownValue;
  /** The identifier of the collection whose values the field contains; `attribute` has that of others. */
  readonly collection?: string;
  /** The field (a date or date-time of this resource) that this one must not be earlier than. */
  readonly notBefore?: string;
  /** The field (a date or date-time of this resource) that this one must not be later than. */
  readonly notAfter?: string;
  /** The field (date-time of this resource) that this one must be later than: both are an interval. */
  readonly endsAfter?: string;
  /**
   * The start of the interval that this field ends, and the flag that widens it to whole days.
   * A date given for this field is the end of that day.
   */
  readonly wholeDays?: { readonly start: string; readonly flag: string };
  /** Type `json`: the scalar type of the array's items; `*value*` then filters by membership. */
  readonly items?: 'integer' | 'text';
  /** Type `json`: the JSON Schema of the value, or a reference to one of the document's components. */
  readonly schema?: object;
  /** The column of a tenant-defined field; other fields have a column of the same name. */
  readonly storage?: Storage;
  /** The resources that the value is read from, besides the record itself. */
  readonly sources?: readonly string[];
  /**
   * The stored fields, as `events.name`, that the value derives from without an entry of its record.
   * A resource alone stands for all of its fields. Those of the same resource are fields of the record itself, or of others.
   */
  readonly derivedFrom?: readonly string[];
  /** The resource whose record, the one with the id in the field `by`, has the value in its `field`. */
  readonly owner?: { readonly resource: string; readonly by: string; readonly field: string };
  /** The place among the resource's layers of the first that has the field; default: 0. */
  readonly layer?: number;
  /** The fields, which may be hidden, whose first value that is not null it has. */
  readonly firstOf?: readonly string[];
  /** The database function without tables that computes it from fields, some possibly hidden. */
  readonly computedBy?: { readonly function: string; readonly of: readonly string[] };
  /** The attribute that defines the field: its type and its id, which is unique within the tenant. */
  readonly attribute?: { readonly id: number; readonly type: string };
}

/** A column, or a member of a jsonb column, in a separate table with one row per record. */
export interface Storage {
  readonly table: string;
  readonly column: string;
  readonly member?: string;
}

/** Rows of `resource` whose field `to` equals this row's field `from`. */
export interface Relation {
  /** The name in the specification, such as `contactClient`. */
  readonly name: string;
  /** The short name, such as `client`; never the name of a field of the resource. */
  readonly short: string;
  readonly resource: string;
  readonly from: string;
  readonly to: string;
  /** True: an array ordered by id. False: one object (the newest, if there are several) or null. */
  readonly many: boolean;
}

/** A predefined listing under the resource's path, such as /events/today. */
export interface Alias {
  readonly name: string;
  /**
   * Query parameters of the listing, in whose values words stand for times.
   * `today` and `tomorrow` are dates in the tenant's time zone, `midnight` is the instant at which today began and `now` the
   * current one.
   */
  readonly parameters: readonly Parameter[];
}

/** A resource, as described by the spec. */
export interface Resource<Name extends string = string> {
  /** Name in paths and of the XML element of a list: `event-functions`. */
  readonly name: Name;
  /** Name of the XML element of one record: `event-function`. */
  readonly singular: string;
  /** The table for writes. */
  readonly table: string;
  /** The table or view for reads; has a column for every field without `storage`. */
  readonly source: string;
  /** Tables and views with ever more fields, up to `source`: a query reads the first with all it uses. */
  readonly layers?: readonly string[];
  /**
   * `source` is a function of the tenant's id and time zone and the id of the path's parent, or null.
   */
  readonly called?: true;
  /** The function is called with a further value, JSON that the resource's rules read (`supply`). */
  readonly supplied?: true;
  /** The sort of listings that do not bring one, as in the parameter; default: the key. */
  readonly sort?: string;
  /** The field of `{id}`, of the default order of listings, and of every order's last term. */
  readonly key: string;
  /** The unique field with the record's id in another system; undefined: none. */
  readonly externalKey?: string;
  /** The module that a tenant must have enabled; null: none. */
  readonly module: Module | null;
  /**
   * The field of the records that define further fields of a tenant, as `attributes.category`.
   * It decides who sees them; null: tenants can't add fields.
   */
  readonly dynamic: string | null;
  /** New references to records whose field has this value are rejected (`reference_inactive`). */
  readonly inactive: { readonly field: string; readonly value: number | boolean } | null;
  /** Its records are people who can be forgotten (`anonymize` of DELETE). */
  readonly forgettable?: Forgettable;
  /** Whether DELETE sets the `inactive` value instead of removing the record. */
  readonly keepsDeleted: boolean;
  /**
   * An API user from whom a referring field is hidden reads only some of the records.
   * These are its own (`own`: the field with the API user), open ones, and those that readable fields refer to.
   */
  readonly readWhereReferred?: {
    readonly own: string;
    readonly open: { readonly field: string; readonly value: string };
  };
  /** Records whose column has a category that is hidden from an API user do not exist for it. */
  readonly readByCategory?: string;
  /**
   * An API user reads only its own records (`own`: the field with the API user).
   * With `about`, it does so without the scope to read all, and only those about a readable resource (the field with its name).
   */
  readonly readOwn?: { readonly own: string; readonly about?: string };
  /** The resources whose scopes its operations need, all of them; default: its own. */
  readonly scopes?: readonly string[];
  /** Changes of its records are not entered in the journal. */
  readonly unjournalled?: true;
  /** Whether src/resources/<name>/rules.ts contains further rules for its writes. */
  readonly ruled: boolean;
  /** In the order of responses. */
  readonly fields: readonly Field[];
  /** Columns of the source that requests can't name: a key or parent's id that records do not show. */
  readonly hidden?: readonly Field[];
  readonly relations: readonly Relation[];
  readonly aliases: readonly Alias[];
}
