/** The record that a nested operation's path begins with. */
export interface Parent {
  readonly resource: string;
  readonly id: number;
  /** The field of the operation's own resource that holds the id. */
  readonly field: string;
  /** The operation's path from the root, with actual ids. */
  readonly path: string;
}
