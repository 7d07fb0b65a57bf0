const place = '#/components/schemas/';

/**
 * Returns the names of the document's schemas that values refer to (`$ref`), also through one another.
 * @param schemas all schemas of the document, by name
 */
export const referredSchemas = (
  values: readonly unknown[],
  schemas: Readonly<Record<string, unknown>>,
): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const reference = '$ref' in value ? value.$ref : undefined;
    const name = typeof reference === 'string' && reference.startsWith(place) ? reference.slice(place.length) : null;
    if (name !== null && !names.has(name)) {
      names.add(name);
      visit(schemas[name]);
    }
    for (const member of Object.values(value)) visit(member);
  };
  for (const value of values) visit(value);
  return names;
};
