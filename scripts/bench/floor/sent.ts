/** A statement to send: without a name it is planned for its values. */
export interface FloorStatement {
  readonly statement: string;
  readonly values: readonly (string | number)[];
  readonly unnamed?: true;
}
