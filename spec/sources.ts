import type { Model, ModelProperty, Program } from '@typespec/compiler';
import { kindOf } from './conventions/kinds.ts';
import { markOf } from './conventions/marks.ts';

/** Where the value of a field comes from, besides its own column: names, sorted. */
export interface Sources {
  /** Resources whose changes can change the value without an entry of its record in the journal. */
  readonly derived: readonly string[];
  /** Resources whose changes can change the value, and the record has an entry then. */
  readonly inherited: readonly string[];
  /**
   * The fields behind `derived`, as `events.name`, and those of the record itself.
   * A resource alone stands for all of its fields.
   */
  readonly fields: readonly string[];
}

/** Returns where the value of a resource's field comes from. */
export const sourcesOf = (program: Program, property: ModelProperty): Sources => {
  const derived = new Set<string>();
  const inherited = new Set(markOf(program, 'inheritsFrom', property));
  const fields = new Set<string>();
  const add = (other: ModelProperty): void => {
    const sources = sourcesOf(program, other);
    for (const name of sources.derived) derived.add(name);
    for (const name of sources.inherited) inherited.add(name);
    for (const name of [...sources.fields, fieldName(program, other)]) fields.add(name);
  };
  const isKept = markOf(program, 'serverKept', property) !== undefined;
  for (const name of derivedFrom(program, property)) {
    // A stored value moves with its own record, whose entry names it.
    if (!isKept || resourceIn(name) !== (property.model && markOf(program, 'resource', property.model)))
      derived.add(resourceIn(name));
    fields.add(name);
  }
  for (const { from, related, field } of wayOf(program, property)) {
    add(from);
    derived.add(markOf(program, 'resource', related) ?? '');
    if (field) add(field);
  }
  const own = ownFieldOf(program, property);
  if (own) add(own);
  return { derived: [...derived].sort(), inherited: [...inherited].sort(), fields: [...fields].sort() };
};

/** Returns the resource of a name in `@derivedFrom`: `events` or one of its fields, `events.name`. */
export const resourceIn = (name: string): string => name.split('.')[0] as string;

const derivedFrom = (program: Program, property: ModelProperty): readonly string[] => [
  ...(markOf(program, 'derivedFrom', property) ?? []),
  ...((property.model && markOf(program, 'computed', property) && markOf(program, 'derivedFrom', property.model)) ||
    []),
];

const fieldName = (program: Program, { name, model }: ModelProperty): string =>
  `${model && markOf(program, 'resource', model)}.${name}`;

/** Returns the field of the same record whose value a `@derived` field has. */
const ownFieldOf = (program: Program, property: ModelProperty): ModelProperty | undefined => {
  const path = markOf(program, 'derived', property) ?? '.';
  return path.includes('.') ? undefined : property.model?.properties.get(path);
};

/** The field of another record that always has the value of a field. */
export interface Owner {
  /** The resource of that record. */
  readonly resource: string;
  /** The field with its id, which is never null. */
  readonly by: string;
  readonly field: string;
}

/**
 * Returns what a `@derived` or `@sameAs` path leads to in its first step, where each record has one.
 * Undefined for other fields.
 */
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
