import type { Category } from './categories.ts';

/** The records that a trigger sends: of a resource, or of the one that a member of the data names. */
export interface SentRecords {
  readonly resource?: string;
  readonly member?: string;
  /** Data whose member has the value are withheld from whom the category is hidden. */
  readonly withheld?: { readonly category: Category; readonly member: string; readonly value: string };
}

/** The records that a value is about: of the type's resource, or of the one that the data names. */
export interface DescribesRecordsOf {
  /** The field with the type. */
  readonly type: string;
  /** The field with the data. */
  readonly data: string;
  /** The member of an object that is shown to everybody. */
  readonly keeps?: string;
  readonly sent: Readonly<Record<string, SentRecords>>;
}

/** Marks with which records do not exist for an API user: these, and others with the start of its own. */
export interface ConcealingMarks {
  readonly categories: readonly CategoryMarks[];
  readonly any: readonly string[];
  readonly others: readonly { readonly start: string; readonly own: string }[];
}

/** Marks of hidden categories. An entry that changes the field with the category is shown. */
interface CategoryMarks {
  readonly field: string;
  readonly any: readonly string[];
}

/** Records that do not exist for an API user while their column has one of the categories. */
export interface ConcealedRecords {
  readonly resource: string;
  readonly table: string;
  readonly column: string;
  readonly hidden: readonly Category[];
}

/** The parts of a resource's records of which an API user sees a change, as the journal names them. */
export interface SeenParts {
  readonly resource: string;
  readonly parts: readonly string[];
}

/** The entries of the journal that are concealed from an API user. */
export interface ConcealedEntries {
  /** The marks with which an entry is concealed. */
  readonly marks: ConcealingMarks;
  /** The records of which no entry is shown, but for those that change their category. */
  readonly records: readonly ConcealedRecords[];
  /** The resources whose updates are concealed that change none of these parts. */
  readonly seen: readonly SeenParts[];
}

/**
 * The rows whose value is withheld.
 * Those of a type, or of a type with one of the names in its data, and those whose data are an entry that is concealed.
 */
export interface Withheld extends ConcealedEntries {
  readonly type: string;
  readonly data: string;
  readonly keeps?: string;
  readonly cases: readonly { readonly type: string; readonly member?: string; readonly named: readonly string[] }[];
}
