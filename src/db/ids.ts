/** A Postgres array literal. */
export const literal = (ids: readonly number[]): string => `{${ids.join(',')}}`;

/** Each once, in order: that in which rows are locked. */
export const unique = (ids: readonly number[]): number[] => [...new Set(ids)].sort((a, b) => a - b);
