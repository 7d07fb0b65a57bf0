import type { Module } from '../../generated/modules.ts';

export type { Module };

/**
 * What the generator says of a resource, and all that the engine knows of one (generated/resources.ts holds the table).
 * Nothing in the engine may depend on which resource it serves.
 */

/** How a value is stored, compared, read from a body and written to an answer. */
export type FieldType =
  /** bigint or integer column; a JSON integer. */
  | 'integer'
  /** numeric column; a JSON number with at most the column's scale. */
  | 'number'
  /** boolean column; 0 or 1 in answers; 0, 1, true or false in bodies and filters. */
  | 'flag'
  /** text column under the ICU root collation. */
  | 'text'
  /** date column; YYYY-MM-DD. */
  | 'date'
  /** timestamptz(0) column; RFC 3339 in UTC. */
  | 'date_time'
  /** jsonb column; any JSON object or array. */
  | 'json';

/** When a body may carry the field. `read`: never; `create`: in a POST only; `write`: in a POST and a PUT. */
export type Access = 'read' | 'create' | 'write';

/** One field. Its column, in the resource's `source` and (unless computed) in its `table`, has the same name. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly access: Access;
  /** Not a column of the table: derived from other tables, calculated, or a timestamp that the server keeps. Ignored in a PUT. */
  readonly computed?: true;
  /**
   * Not even a column of the source: the function of the database that gives the values of many records, from the tenant and their
   * keys to rows of `id` and `value`. Type `json`, never null.
   */
  readonly gathered?: string;
  /** A POST must carry it. */
  readonly required?: true;
  /** May be null: without it a null in a body is `not_empty`. */
  readonly nullable?: true;
  /** Taken when a POST leaves the field out. */
  readonly default?: string | number | boolean;
  /** The values of an enumeration. */
  readonly values?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Digits after the decimal point that the column keeps (type `number`). */
  readonly scale?: number;
  /** A regular expression that the whole text matches. */
  readonly pattern?: string;
  /** A format that the text has: `email`, `phone`, `time-zone`, `json`, ... */
  readonly format?: string;
  /** The resource whose id this is; checked inside the tenant on every write. */
  readonly references?: string;
  /** The field (a date or date-time of this resource) that this one must not lie before. */
  readonly notBefore?: string;
  /** Type `json`: the scalar type of the array's items (then `*value*` filters by membership). */
  readonly items?: 'integer' | 'text';
  /** Type `json`: the JSON Schema (a name in the document's components, or a schema) that a body's value satisfies. */
  readonly schema?: object;
  /** Where the values of a field lie that the tenant has made; others have a column of their own name. */
  readonly storage?: Storage;
  /** The attribute that the field is bound to: its id within the tenant (of a predefined one in every tenant), and its type. */
  readonly attribute?: { readonly id: number; readonly type: string };
}

/** A column of the resource's source, written to a table beside the resource's own; of a jsonb column one member. */
export interface Storage {
  readonly table: string;
  readonly column: string;
  readonly member?: string;
}

/** Rows of `resource` whose field `to` equals this row's field `from`. */
export interface Relation {
  /** The name of the specification, such as `contactClient`. */
  readonly name: string;
  /** The short name, such as `client`; never a field of the resource. */
  readonly short: string;
  readonly resource: string;
  readonly from: string;
  readonly to: string;
  /** An array ordered by id; otherwise one object (the newest, should there be several) or null. */
  readonly many: boolean;
}

/** A predefined listing under the resource's path, such as /events/today. */
export interface Alias {
  readonly name: string;
  /** A query string in the listing's own grammar; `today` and `tomorrow` stand for dates in the tenant's time zone, `now` for the instant. */
  readonly query: string;
}

export interface Resource<Name extends string = string> {
  /** Name in paths and, in XML, of the list: `event-functions`. */
  readonly name: Name;
  /** Name of one record in XML: `event-function`. */
  readonly singular: string;
  /** The table that is written. */
  readonly table: string;
  /** The table or view that is read; has every field as a column of that name. */
  readonly source: string;
  /** The field that `{id}` addresses, that orders a listing by default and breaks ties. */
  readonly key: string;
  /** The module a tenant needs for it; null: core. */
  readonly module: Module | null;
  /** The tenant's attributes (of the form whose entity is this resource) add fields. */
  readonly dynamic: boolean;
  /** Records whose field has this value refuse new references (`reference_inactive`). */
  readonly inactive: { readonly field: string; readonly value: number | boolean } | null;
  /** DELETE sets `inactive` instead of removing the record. */
  readonly keepsDeleted: boolean;
  /** src/resources/<name>/rules.ts holds what must be true of its writes beyond the fields' own rules. */
  readonly ruled: boolean;
  /** In the order in which an answer lists them. */
  readonly fields: readonly Field[];
  readonly relations: readonly Relation[];
  readonly aliases: readonly Alias[];
}
