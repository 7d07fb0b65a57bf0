import type { Interface, Model, Program } from '@typespec/compiler';
import { kindOf } from '../../../spec/conventions/kinds.ts';
import { markOf, type StatusSetMark } from '../../../spec/conventions/marks.ts';
import { namespaceOf } from './program.ts';

/** Returns all models of the spec. */
export const modelsOf = (program: Program): readonly Model[] => [...namespaceOf(program).models.values()];

/** Returns the models that are resources, sorted by resource name. */
export const resourceModels = (program: Program): readonly Model[] => {
  const nameOf = (model: Model) => markOf(program, 'resource', model) ?? '';
  const models = modelsOf(program).filter(model => nameOf(model) !== '');
  return models.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
};

/** Returns the interfaces of each resource by its model: several where actions have files of their own. */
export const servedInterfaces = (program: Program): ReadonlyMap<Model, readonly Interface[]> =>
  Map.groupBy(
    [...namespaceOf(program).interfaces.values()].filter(item => markOf(program, 'serves', item)),
    item => markOf(program, 'serves', item) as Model,
  );

/** Returns the interfaces that serve nested records. */
export const nestedInterfaces = (program: Program): readonly Interface[] =>
  [...namespaceOf(program).interfaces.values()].filter(item => markOf(program, 'nested', item));

/** Returns the models that nested interfaces serve. */
export const nestedModels = (program: Program): ReadonlySet<Model> =>
  new Set(nestedInterfaces(program).flatMap(item => markOf(program, 'nested', item)?.child ?? []));

/** Matches a status set in a query string: `status={holding}`. */
export const setPattern = /([\w.]+)=\{(\w+)\}/g;

/** Returns the set with that name of the field's statuses; undefined if there is none. */
export const statusSetOf = (program: Program, model: Model, field: string, name: string): StatusSetMark | undefined => {
  const property = model.properties.get(field);
  const type = property && kindOf(program, property.type)?.of;
  const sets = type?.kind === 'Enum' ? markOf(program, 'statusSets', type) : undefined;
  return sets?.find(set => set.name === name);
};
