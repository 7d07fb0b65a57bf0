/** A seeded random generator: the same seed produces the same data on every machine. */
export type Random = ReturnType<typeof createRandom>;

/** The generator Mulberry32 by Tommy Ettinger: 32 bits of state are enough for demo data. */
const mulberry32 = (seed: number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
};

/** Creates a generator with a seed. */
export const createRandom = (seed: number) => {
  const next = mulberry32(seed);
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    /** A number from 0 (included) to 1 (excluded). */
    next,
    /** An integer from `low` to `high`, both included. */
    integer,
    /** True with the probability `share`. */
    chance: (share: number): boolean => next() < share,
    pick: <T>(items: readonly T[]): T => {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError('Nothing to pick from');
      return item;
    },
    /** One of the items, with a probability proportional to its weight. */
    weighted: <T>(items: readonly T[], weights: readonly number[]): T => {
      let rest = next() * weights.reduce((sum, weight) => sum + weight, 0);
      for (const [index, item] of items.entries()) {
        rest -= weights[index] ?? 0;
        if (rest < 0) return item;
      }
      throw new RangeError('No item has a weight');
    },
  };
};
