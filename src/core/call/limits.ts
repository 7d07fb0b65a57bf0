/** The limits on the query parameters of one request, if the configuration sets none. */
export const defaultLimits = {
  /** Conditions of all filters. */
  filters: 50,
  /** Alternatives (OR) of all filters. */
  filterValues: 500,
  /** The length of each of these, in bytes. */
  filterBytes: 1024,
  sortFields: 10,
  embeds: 5,
  /** Embedded records of to-many relations, in all records of a response. */
  embedRows: 50_000,
};

/** Limits on the query parameters of one request. */
export type Limits = Readonly<typeof defaultLimits>;
