/** Limits on the query parameters of one request. */
export interface Limits {
  /** Conditions of all filters. */
  readonly filters: number;
  /** Alternatives (OR) of all filters. */
  readonly filterValues: number;
  /** The length of each of these, in bytes. */
  readonly filterBytes: number;
  readonly sortFields: number;
  readonly embeds: number;
  /** Embedded records of to-many relations, in all records of a response. */
  readonly embedRows: number;
}

/** The limits if the configuration sets none. */
export const defaultLimits: Limits = {
  filters: 50,
  filterValues: 500,
  filterBytes: 1024,
  sortFields: 10,
  embeds: 5,
  embedRows: 50_000,
};
