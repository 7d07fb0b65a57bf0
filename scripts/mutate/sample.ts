/** Returns `count` of the items; the same for the same seed. */
export const sample = <Item>(items: readonly Item[], count: number, seed: number): readonly Item[] => {
  let state = seed >>> 0;
  // A linear congruential generator is enough to choose with.
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map(item => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ item }) => item);
};
