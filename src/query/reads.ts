import type { ReadBasis } from '../core/call/reply.ts';
import { type FieldSet, sourceField } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import type { ReadPlan } from './plan.ts';

/**
 * Returns what the records of a plan follow from.
 * Null if the journal does not have the changes of one of the resources, or if the plan reads from a database function, which may
 * depend on the time.
 * @param also names of resources of which something else is read
 */
export const basisOf = (
  plan: ReadPlan,
  resources: Readonly<Record<string, Resource>>,
  ...also: readonly string[]
): ReadBasis | null => {
  const { set, fields, conditions, order, embeds, until } = plan;
  if ([set, ...embeds.map(embed => embed.set)].some(({ resource }) => resource.called)) return null;
  const reads = new Set([
    ...also,
    ...readsOf(set, [...fields, ...conditions.map(({ field }) => field), ...order.map(({ field }) => field)]),
    ...embeds.flatMap(({ set: target, relation, fields }) => [
      ...readsOf(target, [sourceField(target, relation.to), ...fields]),
      ...(sourceField(set, relation.from).sources ?? []),
    ]),
  ]);
  return [...reads].some(name => resources[name]?.unjournalled) ? null : { reads, until };
};

/** The resources that fields are read from, and those that decide which records may be read. */
const readsOf = ({ resource, restriction }: FieldSet, fields: readonly Field[]): readonly string[] => [
  resource.name,
  ...fields.flatMap(({ sources = [] }) => sources),
  ...(restriction && 'holders' in restriction ? [...(restriction.holders ?? []), ...restriction.guards] : []).map(
    ({ resource }) => resource,
  ),
];
