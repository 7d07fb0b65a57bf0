/** A query parameter as it came, decoded, in order; names may repeat and may end in `[]`. */
export type Parameter = readonly [name: string, value: string];

/** The request's own URL: what a link to another page of the same listing repeats. */
export interface Self {
  /** From the root, with the format's extension. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
}
