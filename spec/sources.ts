import type { Model, ModelProperty, Program } from '@typespec/compiler';
import { kindOf } from './conventions/kinds.ts';
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

/** The field of another record that always has the value of a field. */
export interface Owner {
  /** The resource of that record. */
  readonly resource: string;
  /** The field with its id, which is never null. */
  readonly by: string;
  readonly field: string;
}

/** Returns what a `@derived` or `@sameAs` path leads to in its first step, where each record has one; undefined for other fields. */
export const ownerOf = (program: Program, property: ModelProperty): Owner | undefined => {
  const path = markOf(program, 'derived', property) ?? markOf(program, 'sameAs', property);
  const [short, ...rest] = path?.split('.') ?? [];
  const relation = (property.model && markOf(program, 'relations', property.model))?.find(to => to.short === short);
  const from = relation && property.model?.properties.get(relation.from);
  if (!from || relation?.to !== 'id' || relation.many || kindOf(program, from.type)?.nullable !== false)
    return undefined;
  const [name = '', ...more] = rest;
  const field = [...relation.related.properties.values()].find(candidate =>
    more.length > 0 ? markOf(program, 'derived', candidate) === rest.join('.') : candidate.name === name,
  );
  return field && { resource: markOf(program, 'resource', relation.related) ?? '', by: from.name, field: field.name };
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
