import type { Field, Resource } from './resource.ts';

/** In place of the name of a field: all fields. */
export const ALL = '';

/** The names of fields, by resource. */
export type FieldSources = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Returns the fields from which fields that can be read derive.
 * @param fieldsOf returns the fields of a resource that can be read; none: the resource can't
 */
export const findSources = (
  resources: Readonly<Record<string, Resource>>,
  fieldsOf: (resource: Resource) => readonly Field[] | null,
): FieldSources => {
  const sources = new Map<string, Set<string>>();
  for (const resource of Object.values(resources)) {
    const fields = fieldsOf(resource);
    if (fields === null) continue;
    const names = fields.flatMap(({ derivedFrom = [] }) => derivedFrom);
    for (const source of resource.dynamic === null ? names : [...names, resource.dynamic]) {
      const [name = '', ...path] = source.split('.');
      sources.set(name, (sources.get(name) ?? new Set()).add(path.join('.') || ALL));
    }
  }
  return sources;
};
