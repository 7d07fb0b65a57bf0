/** Returns the items in lists of at most so many. */
export const chunksOf = <Item>(items: readonly Item[], most: number): readonly (readonly Item[])[] => {
  const chunks: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += most) chunks.push(items.slice(start, start + most));
  return chunks;
};
