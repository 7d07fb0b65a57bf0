import { sourceField } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import type { ReadPlan } from './plan.ts';

/**
 * Returns the names of the resources that a plan reads: while none of their records changes, its records are the same. Null if the
 * journal does not have the changes of one of them.
 */
export const readsOf = (plan: ReadPlan, resources: Readonly<Record<string, Resource>>): ReadonlySet<string> | null => {
  const { set, fields, conditions, order, embeds } = plan;
  const own = [...fields, ...conditions.map(({ field }) => field), ...order.map(({ field }) => field)];
  const names = new Set([
    set.resource.name,
    ...sourcesOf(set.resource.called ? [...set.resource.fields, ...own] : own),
    ...embeds.flatMap(embed => [
      embed.set.resource.name,
      ...sourcesOf([sourceField(set, embed.relation.from), sourceField(embed.set, embed.relation.to), ...embed.fields]),
    ]),
  ]);
  return [...names].some(name => resources[name]?.unjournalled) ? null : names;
};

const sourcesOf = (fields: readonly Field[]): readonly string[] => fields.flatMap(({ sources = [] }) => sources);
