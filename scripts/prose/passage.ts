/** A text that people read: a document, a description, a message, or the first line of a docstring. */
export interface Passage {
  readonly kind: PassageKind;
  readonly file: string;
  /** The line in which it begins, or its path in a JSON document. */
  readonly place: number | string;
  /** Markdown. */
  readonly text: string;
}

/** What the rules for a passage depend on. */
export type PassageKind = 'document' | 'message' | 'docstring';
