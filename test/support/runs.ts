const { TEST_RUNS = '1' } = process.env;

/** Returns the number of random trials of a test: `count`, times TEST_RUNS. */
export const runs = (count: number): number => Math.ceil(count * Number(TEST_RUNS));

/**
 * Returns some of the values, other ones for each index: for values that one place of the service checks, whatever the operation. Every
 * operation tries `count` of them, and every value is tried by many operations.
 */
export const some = <T>(values: readonly T[], count: number, index: number): readonly T[] =>
  Array.from({ length: Math.min(count, values.length) }, (_, n) => values[(index * count + n) % values.length] as T);
