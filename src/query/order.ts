import type { Field, Resource } from '../core/resource/resource.ts';

/** One field that a listing is sorted by. */
export interface OrderTerm {
  readonly field: Field;
  readonly descending: boolean;
}

/** A record that others have a value of: the one with the id in their field `by`. */
export interface Owner {
  readonly resource: Resource;
  readonly by: string;
  readonly field: Field;
}

/** The owner of a field's value, the owner of that one's value, and so on; none if the value is the record's own. */
export const ownersOf = ({ owner }: Field, resources: Readonly<Record<string, Resource>>): readonly Owner[] => {
  const resource = owner && resources[owner.resource];
  const field = [...(resource?.fields ?? []), ...(resource?.hidden ?? [])].find(({ name }) => name === owner?.field);
  return resource && field ? [{ resource, by: owner?.by as string, field }, ...ownersOf(field, resources)] : [];
};
