import type { FieldType } from './resource.ts';

/** A member of a represented record: a field, or an embedded relation with members of its own. */
export type Member =
  | { readonly name: string; readonly type: FieldType }
  | { readonly name: string; readonly many: boolean; readonly singular: string; readonly members: readonly Member[] };

/** The value of a member: a column's string as returned by the database, or the embedded record or records. */
export type Cell = string | null | Cells | readonly Cells[];
/** The values of a record, in the order of its members; surplus cells are not sent. */
export type Cells = readonly Cell[];

/**
 * Records of a response, still as the database's strings. The encoders convert each string to the format by its member's type, so
 * that no intermediate object is built per record.
 */
export interface Representation<Name extends string = string, Many extends boolean = boolean> {
  /** XML element names: of the list, which is the resource's name, and of one record. */
  readonly plural: Name;
  readonly singular: string;
  /** A listing (an array) or one record. */
  readonly many: Many;
  readonly members: readonly Member[];
  readonly records: readonly Cells[];
}
