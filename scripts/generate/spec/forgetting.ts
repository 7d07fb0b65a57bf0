import type { Model, ModelProperty, Program } from '@typespec/compiler';
import { kindOf } from '../../../spec/conventions/kinds.ts';
import { keyOf, type Marks, markOf } from '../../../spec/conventions/marks.ts';
import type { Cleared, Forgettable, ForgettablePart } from '../../../src/core/resource/forgettable.ts';
import { isOfTable, tableName } from './table.ts';

/** The resource of files. */
const files = 'files';

/** Returns how a person and the records that are part of it are forgotten; undefined: no people. */
export const forgettableOf = (program: Program, model: Model, models: readonly Model[]): Forgettable | undefined => {
  const names = markOf(program, 'forgettable', model);
  if (!names) return undefined;
  if (!markOf(program, 'inactiveWhen', model))
    throw new Error(`${model.name} is @forgettable and needs @inactiveWhen.`);
  if (!model.properties.has('forgotten_at'))
    throw new Error(`${model.name} is @forgettable and needs the fields of Forgettable.`);
  return { names, files, parts: partsOf(program, nameOf(program, model), models, new Set()) };
};

/** Returns the parts of a resource's records, each followed by its own parts. */
const partsOf = (
  program: Program,
  whole: string,
  models: readonly Model[],
  seen: Set<ModelProperty>,
): ForgettablePart[] =>
  models
    .flatMap(model => [...model.properties.values()])
    .filter(property => !seen.has(property) && isPartOf(program, property, whole))
    .flatMap(property => {
      seen.add(property);
      const part = partOf(program, property, whole);
      const isWhole = markOf(program, 'partOf', property)?.length === 0;
      return [part, ...(isWhole ? partsOf(program, part.resource, models, seen) : [])];
    });

const isPartOf = (program: Program, property: ModelProperty, whole: string): boolean =>
  markOf(program, 'partOf', property) !== undefined &&
  (markOf(program, 'references', property)?.resource === whole || whenOf(program, property, whole) !== undefined);

/** Returns the condition under which a reference is one to that resource. */
const whenOf = (program: Program, property: ModelProperty, whole: string): ForgettablePart['when'] => {
  const { field = '', resources = {} } = markOf(program, 'referencesOneOf', property) ?? {};
  const [value] = Object.entries(resources).find(([, resource]) => resource === whole) ?? [];
  return value === undefined ? undefined : { column: field, value };
};

const partOf = (program: Program, property: ModelProperty, whole: string): ForgettablePart => {
  const model = property.model as Model;
  const resource = nameOf(program, model);
  const only = markOf(program, 'partOf', property) ?? [];
  const when = whenOf(program, property, whole);
  const cleared = [...model.properties.values()]
    .filter(({ name }) => only.length === 0 || only.includes(name))
    .flatMap(field => clearedOf(program, field) ?? []);
  return {
    resource,
    table: tableName(resource),
    key: keyOf(program, model),
    by: property.name,
    of: tableName(whole),
    ...(when && { when }),
    ...(model.properties.has('updated_at') && cleared.length > 0 && { touched: true as const }),
    cleared,
  };
};

type Category = Marks['sensitive']['value'];

/** What is cleared when a person is forgotten: pay is kept. */
const isForgotten = (category: Category | undefined): boolean => category !== undefined && category !== 'pay';

/** Returns how a column is cleared; undefined: it is not. */
const clearedOf = (program: Program, property: ModelProperty): Cleared | undefined => {
  const kind = isOfTable(program, property) ? kindOf(program, property.type) : null;
  if (!kind) return undefined;
  const { name: column } = property;
  if (!isForgotten(markOf(program, 'sensitive', property))) return membersOf(program, column, kind.of);
  const isList = kind.of.kind === 'Model' && kind.of.name === 'Array';
  if (!kind.nullable && !isList)
    throw new Error(`${property.model?.name}.${column} can't be cleared: it must be nullable or a list.`);
  const file = markOf(program, 'references', property);
  return {
    column,
    ...(!kind.nullable && { empty: true as const }),
    ...(file?.resource === files && { file: file.by ?? 'id' }),
  };
};

/** Returns how the marked members of an object or of a list's objects are cleared; undefined: none. */
const membersOf = (program: Program, column: string, type: unknown): Cleared | undefined => {
  const { kind, name, indexer } = type as Model;
  if (kind !== 'Model') return undefined;
  const object = name === 'Array' ? indexer?.value : (type as Model);
  if (object?.kind !== 'Model') return undefined;
  const members = [...object.properties.values()]
    .filter(property => isForgotten(markOf(program, 'sensitive', property)))
    .map(property => property.name);
  return members.length === 0 ? undefined : { column, members };
};

const nameOf = (program: Program, model: Model): string =>
  markOf(program, 'resource', model) ?? markOf(program, 'table', model) ?? '';
