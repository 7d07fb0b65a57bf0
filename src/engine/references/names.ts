import { cachedBy } from '../../core/cached.ts';
import type { FieldSet } from '../../core/resource/fields.ts';
import type { Field, Relation, Resource } from '../../core/resource/resource.ts';

/** A member of bodies that is no field: a relation, or a reference by external id. */
export interface Related {
  readonly member: string;
  readonly target: Resource;
  /** The field with the reference; null: bodies name none, or the relation's records refer to this one. */
  readonly field: Field | null;
  /** Null: the record that the member names cannot be embedded. */
  readonly relation: Relation | null;
}

/** Returns the members of bodies that name relations, as they exist for the API user. Cached. */
export const relatedIn = cachedBy(
  (set: FieldSet, resources: Readonly<Record<string, Resource>>): ReadonlyMap<string, Related> =>
    new Map([...byExternalId(set, resources), ...byRelation(set, resources)]),
);

type RelatedMember = readonly [member: string, related: Related];

const byExternalId = (set: FieldSet, resources: Readonly<Record<string, Resource>>): readonly RelatedMember[] =>
  set.fields.flatMap((field): RelatedMember[] => {
    const { byExternalId: member, references = '' } = field;
    const target = resources[references];
    return member === undefined || !target ? [] : [[member, { member, target, field, relation: null }]];
  });

const byRelation = (set: FieldSet, resources: Readonly<Record<string, Resource>>): readonly RelatedMember[] =>
  set.relations.flatMap(relation => {
    const target = resources[relation.resource] as Resource;
    const field = referenceOf(set, relation, target);
    return [relation.name, relation.short].map(
      (member): RelatedMember => [member, { member, target, field, relation }],
    );
  });

const referenceOf = ({ byName }: FieldSet, { from, to }: Relation, target: Resource): Field | null => {
  const field = byName.get(from);
  const refers = field?.references === target.name && field.referencesBy === undefined && to === target.key;
  return refers && !field.computed ? field : null;
};
