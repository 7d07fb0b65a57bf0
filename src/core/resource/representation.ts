import { type Cell, Cells } from './cells.ts';
import type { FieldType } from './resource.ts';

/** A member of a represented record: a field, or an embedded relation with members of its own. */
export type Member =
  | { readonly name: string; readonly type: FieldType }
  | { readonly name: string; readonly many: boolean; readonly singular: string; readonly members: readonly Member[] };

/**
 * Records of a response, still as the database has sent them.
 * The encoders convert each value to the format by its member's type, so that no intermediate object is built per record.
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

/** The representation of a listing without its records. */
export type Shape = Omit<Representation, 'records'>;

/** Returns a representation that JSON.stringify has written. */
export const revived = <Written extends Representation>(representation: Written): Written => ({
  ...representation,
  records: representation.records.map(record => recordOf(representation.members, record as unknown as WrittenCells)),
});

/** A record as JSON: a string or null for each field, and such records for what is embedded. */
type WrittenCells = readonly (string | null | WrittenCells)[];

const recordOf = (members: readonly Member[], written: WrittenCells): Cells =>
  Cells.of(
    ...members.map((member, index): Cell => {
      const value = written[index] ?? null;
      if (value === null || typeof value === 'string' || 'type' in member) return value as string | null;
      return member.many
        ? value.map(record => recordOf(member.members, record as WrittenCells))
        : recordOf(member.members, value);
    }),
  );
