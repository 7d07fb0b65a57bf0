/** How much one request may ask for. */
export interface Limits {
  /** Conditions of all filters. */
  readonly filters: number;
  /** Alternatives (OR) of all filters. */
  readonly filterValues: number;
  readonly sortFields: number;
  readonly embeds: number;
}

/** The limits where the configuration has no others. */
export const defaultLimits: Limits = { filters: 50, filterValues: 500, sortFields: 10, embeds: 5 };
