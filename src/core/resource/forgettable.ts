/** A column with data of a person, and how it is cleared: to null, an empty list, or members to null. */
export interface Cleared {
  readonly column: string;
  /** The column has no null. */
  readonly empty?: true;
  /** The members of the object, or of the objects of the list, that are set to null. */
  readonly members?: readonly string[];
  /** The column has the id, or the other field named here, of a file. */
  readonly file?: string;
}

/** Records that are part of a person's: their column `by` has the key of a record of the table `of`. */
export interface ForgettablePart {
  readonly resource: string;
  readonly table: string;
  readonly key: string;
  readonly by: string;
  readonly of: string;
  /** Only records whose column has this value. */
  readonly when?: { readonly column: string; readonly value: string };
  /** Whether the time of the last change is stored. */
  readonly touched?: true;
  readonly cleared: readonly Cleared[];
}

/** How a person is forgotten. */
export interface Forgettable {
  /** The fields of the name, which are set to "Anonymised". */
  readonly names: readonly string[];
  /** The resource of files, which are removed if nothing else refers to them. */
  readonly files: string;
  /** Each after what it is part of. */
  readonly parts: readonly ForgettablePart[];
}
