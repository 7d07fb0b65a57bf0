/** A decoded query parameter. Names may repeat and may end in `[]`. */
export type Parameter = readonly [name: string, value: string];

/** The request's own URL, from which links to other pages of the same listing are built. */
export interface Self {
  /** Path from the root, including the format's extension. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
}
