type ComponentsByKind = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** Whether a part of one document is the same in another, with all components that it refers to. */
export type Sameness = (old: object, now: object) => boolean;

/** Returns whether a part is the same in two documents, as a function of the part in each. */
export const samenessOf = (old: ComponentsByKind, now: ComponentsByKind): Sameness => {
  const others = textsOf(now);
  const same = new Map<string, readonly string[]>();
  for (const [name, text] of textsOf(old)) if (others.get(name) === text) same.set(name, referencesOf(text));
  // Until none is left that refers to one that differs.
  for (let count = -1; count !== same.size; ) {
    count = same.size;
    for (const [name, references] of same) if (references.some(other => !same.has(other))) same.delete(name);
  }
  return (one, other) => {
    const text = JSON.stringify(one);
    return text === JSON.stringify(other) && referencesOf(text).every(name => same.has(name));
  };
};

/** Returns the components as JSON, by what a reference to them ends with. */
const textsOf = (components: ComponentsByKind): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(components).flatMap(([kind, named]) =>
      Object.entries(named).map(([name, component]) => [`${kind}/${name}`, JSON.stringify(component)] as const),
    ),
  );

const referencesOf = (text: string): readonly string[] =>
  [...text.matchAll(/"\$ref":"(?:#\/components\/)?([^"]+)"/g)].map(([, name = '']) => name);
