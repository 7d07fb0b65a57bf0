import type { FieldType } from './resource.ts';

/** One member of a represented record: a column, or an embedded relation with columns of its own. */
export type Member =
  | { readonly name: string; readonly type: FieldType }
  | { readonly name: string; readonly many: boolean; readonly singular: string; readonly members: readonly Member[] };

/** A cell per member, in their order; cells behind them are not shown. A cell is a column's text as the database sent it, or the embedded record or records. */
export type Cell = string | null | Cells | readonly Cells[];
export type Cells = readonly Cell[];

/**
 * Records on their way out, still as the database's texts: the serialisers (http/json, http/xml) turn each text into its
 * JSON or XML form by the member's type, so that no intermediate object is built for a JSON answer.
 */
export interface Representation<Name extends string = string, Many extends boolean = boolean> {
  /** Element names in XML: of the list, which is the resource's name, and of one record. */
  readonly plural: Name;
  readonly singular: string;
  /** A listing (an array) or one record. */
  readonly many: Many;
  readonly members: readonly Member[];
  readonly records: readonly Cells[];
}
