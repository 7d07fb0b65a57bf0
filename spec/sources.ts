import type { Model, ModelProperty, Program } from '@typespec/compiler';
import { markOf } from './conventions/marks.ts';

/** Where the value of a field comes from, besides its own record: names of resources, sorted. */
export interface Sources {
  /** Their changes can change the value without an entry of its record in the journal. */
  readonly derived: readonly string[];
  /** Their changes can change the value, and the record has an entry then. */
  readonly inherited: readonly string[];
}

/** Returns where the value of a resource's field comes from. */
export const sourcesOf = (program: Program, property: ModelProperty): Sources => {
  const derived = new Set<string>();
  const inherited = new Set(markOf(program, 'inheritsFrom', property));
  const add = (sources: Sources): void => {
    for (const name of sources.derived) derived.add(name);
    for (const name of sources.inherited) inherited.add(name);
  };
  for (const name of markOf(program, 'derivedFrom', property) ?? []) derived.add(name);
  if (property.model && markOf(program, 'computed', property))
    for (const name of markOf(program, 'derivedFrom', property.model) ?? []) derived.add(name);
  for (const { from, related, field } of wayOf(program, property)) {
    add(sourcesOf(program, from));
    derived.add(markOf(program, 'resource', related) ?? '');
    if (field) add(sourcesOf(program, field));
  }
  return { derived: [...derived].sort(), inherited: [...inherited].sort() };
};

/** A step from a record to a related one; at the end of the way, with the field that is read there. */
interface Step {
  readonly from: ModelProperty;
  readonly related: Model;
  readonly field: ModelProperty | undefined;
}

/** Returns the steps of a `@derived` path, which the checks have found valid; none for other fields. */
const wayOf = (program: Program, property: ModelProperty): readonly Step[] => {
  const steps = markOf(program, 'derived', property)?.split('.') ?? [];
  const name = steps.pop() ?? '';
  let at = property.model;
  return steps.flatMap((step, index) => {
    const relation = at && markOf(program, 'relations', at)?.find(({ short }) => short === step);
    const from = relation && at?.properties.get(relation.from);
    at = relation?.related;
    return relation && from
      ? [{ from, related: relation.related, field: index === steps.length - 1 ? at?.properties.get(name) : undefined }]
      : [];
  });
};
