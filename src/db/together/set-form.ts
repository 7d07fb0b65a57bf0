/** A text, and for each of its SQL parameters the index of its value. */
interface Text {
  readonly name: string;
  readonly text: string;
  readonly slots: readonly number[];
}

/** The form in which several statements of one shape are sent as one. */
export interface SetForm {
  /** Statements with another one are of another shape. */
  readonly shape: string;
  /** The text for so many statements. */
  textFor(count: number): Text;
  /**
   * What the values of an index become.
   * `rows`: they stand one statement after the other, behind the tenant's id.
   * Otherwise an array of strings, or one value that all have (`shared`), or one array of arrays' items (`union`).
   */
  readonly ways: 'rows' | Readonly<Record<number, 'shared' | 'union'>>;
  /**
   * Which rows are a statement's.
   * Those that end with its value of index 1 (`keyed`), all of them, or none.
   */
  readonly gives: 'keyed' | 'all' | 'none';
}

/** A statement that can be sent as one with others of its form. */
export interface SetMember {
  readonly form: SetForm;
  /** The values by their index. */
  readonly cells: readonly (string | null)[];
}
