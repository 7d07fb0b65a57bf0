/**
 * Returns a function that computes a value for an object once, and keeps it as long as the object.
 * Further arguments are those of the first call: they must not lead to another value for the same object.
 */
export const cachedBy = <Key extends object, Others extends readonly unknown[], Value>(
  compute: (key: Key, ...others: Others) => Value,
): ((key: Key, ...others: Others) => Value) => {
  const cache = new WeakMap<Key, Value>();
  return (key, ...others) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const value = compute(key, ...others);
    cache.set(key, value);
    return value;
  };
};
