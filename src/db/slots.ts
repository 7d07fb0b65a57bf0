/** A kind of columns that dynamic fields are kept in. */
export interface SlotKind {
  readonly name: string;
  /** As Postgres knows it. */
  readonly type: string;
  /** Columns of the kind in each table. */
  readonly count: number;
  /** The attribute types whose values they hold. */
  readonly types: readonly string[];
}

/**
 * Each kind has an index for each of its columns. There are no more of them because planning looks at each. Numbers are double
 * precision, which is what JSON's are: comparisons of `numeric` could tell a row's content apart by their errors, and so enter no
 * index under row security. A field for which no slot is left, or whose type has none, is a member of the column `more`.
 */
export const slotKinds: readonly SlotKind[] = [
  { name: 'text', type: 'text', count: 40, types: ['text', 'email', 'phone'] },
  { name: 'number', type: 'double precision', count: 12, types: ['number'] },
  { name: 'flag', type: 'boolean', count: 12, types: ['boolean'] },
  { name: 'date', type: 'date', count: 12, types: ['date'] },
  { name: 'key', type: 'bigint', count: 24, types: ['select', 'level_select', 'file'] },
];

/** The names of the columns of a kind: `text_1`, `text_2`, … */
export const slotsOf = ({ name, count }: SlotKind): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}_${index + 1}`);

/** The table beside that of a resource, with one row for each of its records. */
export const slotTableOf = (table: string): string => `dynamic_${table}`;
