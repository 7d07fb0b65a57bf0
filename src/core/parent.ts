/** The record whose path an operation lies below. */
export interface Parent {
  readonly resource: string;
  readonly id: number;
  /** The field of the operation's own resource that holds the id. */
  readonly field: string;
  /** The operation's path from the root, ids filled in. */
  readonly path: string;
}
