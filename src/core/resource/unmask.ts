import type { Json } from '../json/value.ts';
import { isListed, isObject, type Mask, masked } from './mask.ts';

/**
 * Returns the value of a write with what is hidden in the stored value.
 * A client that can't read it does not remove it. Members of objects belong together by name, items of lists as `pairsOf` tells. What
 * has no stored counterpart has nothing hidden. See docs/decisions.md, "Sensitive fields".
 */
export const unmasked = (mask: Mask, value: Json, stored: Json): Json => {
  // An object of which nothing is shown is null.
  if (value === null) return mask.nullable && masked(mask, stored) === null ? stored : null;
  if (Array.isArray(value))
    return mask.items && Array.isArray(stored) ? unmaskedItems(mask.items, value, stored) : value;
  if (!isObject(value) || !isObject(stored)) return value;
  const kept = Object.entries(stored).filter(([name]) => mask.hidden.has(name));
  const members = Object.entries(value).map(([name, member]) => {
    const inner = mask.members.get(name);
    return [name, inner ? unmasked(inner, member, stored[name] ?? null) : member] as const;
  });
  return Object.fromEntries([...members, ...kept]);
};

const unmaskedItems = (mask: Mask, items: readonly Json[], stored: readonly Json[]): Json => {
  const pairs = pairsOf(
    mask,
    items,
    stored.filter(item => isListed(mask, item)),
  );
  const shown = items.map((item, index) => unmasked(mask, item, pairs.get(index) ?? null));
  return [...stored.entries()]
    .filter(([, item]) => !isListed(mask, item))
    .reduce((list, [index, item]) => list.toSpliced(index, 0, item), shown);
};

/**
 * Returns the stored counterpart of each item that has one, by the item's index.
 * Items with a key belong together by it; others if they look equal to the API user or, in a list of unchanged length, by their place.
 */
const pairsOf = (mask: Mask, items: readonly Json[], stored: readonly Json[]): ReadonlyMap<number, Json> => {
  const given = items.map(item => identityOf(mask, item));
  const known = stored.map(item => identityOf(mask, masked(mask, item)));
  const pairs = new Map<number, Json>();
  const free = new Set(known.keys());
  const pair = (index: number, place: number): void => {
    pairs.set(index, stored[place] as Json);
    free.delete(place);
  };
  // Those that have not moved come first, so that an item which becomes equal to another one does not take its place.
  for (const [index, { text }] of given.entries()) if (known[index]?.text === text) pair(index, index);
  const moved = Map.groupBy(free, place => known[place]?.text);
  for (const [index, { text }] of given.entries()) {
    const place = pairs.has(index) ? undefined : moved.get(text)?.shift();
    if (place !== undefined) pair(index, place);
  }
  if (items.length !== stored.length) return pairs;
  for (const [index, { isKey }] of given.entries())
    if (!pairs.has(index) && free.has(index) && !isKey && !known[index]?.isKey) pair(index, index);
  return pairs;
};

/** What an item is recognised by: its key or, without one, all that is shown of it. */
const identityOf = ({ key }: Mask, item: Json): { readonly isKey: boolean; readonly text: string } => {
  const names = key.length > 0 ? key : ['id'];
  const values = isObject(item) ? names.map(name => item[name] ?? null) : [null];
  const isKey = !values.includes(null);
  return { isKey, text: JSON.stringify([isKey, isKey ? values : item], inOrder) };
};

/** Sorts the members of objects by name. */
const inOrder = (_: string, value: Json): Json =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
