/** A kind of column for the values of dynamic fields. */
export interface SlotKind {
  readonly name: string;
  /** Postgres type. */
  readonly type: string;
  /** Number of columns of this kind in each table. */
  readonly count: number;
  /** Attribute types whose values these columns hold. */
  readonly types: readonly string[];
}

/**
 * The kinds of slots.
 * Every column has an index without nulls, and the planner considers each, which limits their number. Numbers are double precision, as in JSON:
 * comparisons of `numeric` can raise errors that reveal values (they are not leakproof) and therefore use no index under row security. A
 * field without a free slot, or whose type has no slots, is stored as a member of the column `more`.
 */
export const slotKinds: readonly SlotKind[] = [
  { name: 'text', type: 'text', count: 40, types: ['text', 'email', 'phone'] },
  { name: 'number', type: 'double precision', count: 12, types: ['number'] },
  { name: 'flag', type: 'boolean', count: 12, types: ['boolean'] },
  { name: 'date', type: 'date', count: 12, types: ['date'] },
  { name: 'key', type: 'bigint', count: 24, types: ['select', 'level_select', 'file'] },
];

/** Returns the column names of a kind: `text_1`, `text_2`, … */
export const slotsOf = ({ name, count }: SlotKind): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}_${index + 1}`);

/** Returns the table of a resource's slots, which has one row for each of its records. */
export const slotTableOf = (table: string): string => `dynamic_${table}`;
