import {
  getExamples,
  type Model,
  type ModelProperty,
  type Operation,
  type Program,
  serializeValueAsJson,
} from '@typespec/compiler';
import { isPathParam } from '@typespec/http';
import { setExtension } from '@typespec/openapi';
import type { Kind } from './conventions/kinds.ts';
import { keyOf, markOf } from './conventions/marks.ts';
import { isIn } from './conventions/schemas.ts';

/** Gives `fields`, `sort` and `embed` of a resource's examples its own fields and one of its relations. */
export const exemplify = (program: Program, { parameters }: Operation, resource: Model): void => {
  const [relation] = markOf(program, 'relations', resource) ?? [];
  const key = keyOf(program, resource);
  const fields = [...resource.properties.values()]
    .filter(field => isIn(program, field, 'Read'))
    .map(({ name }) => name);
  const examples: Readonly<Record<string, string | undefined>> = {
    fields: [...new Set([key, ...fields])].slice(0, 3).join(),
    sort: fields.includes('created_at') ? `-created_at,${key}` : `-${key}`,
    embed: relation?.short,
  };
  for (const [name, example] of Object.entries(examples)) if (example) setExample(program, parameters, name, example);
};

/**
 * Gives the ids in the path, and those that the query requires, the values of the resource's example.
 * This includes external ids. `@exampleIds` can give other values. `parent` is the field with the id that a nested
 * path starts with.
 */
export const exemplifyIds = (program: Program, operation: Operation, resource: Model, parent?: string): void => {
  const { parameters } = operation;
  const values = exampleOf(program, resource);
  const given = markOf(program, 'exampleIds', resource)?.[operation.name];
  const [own, above] = [given ?? values[keyOf(program, resource)], parent && (values[parent] ?? given)];
  for (const [name, parameter] of [...parameters.properties]) {
    const isPlaced = isPathParam(program, parameter);
    if (isPlaced && markOf(program, 'identifiesExternally', parameter)) {
      setExample(program, parameters, name, given ?? values[name]);
      continue;
    }
    const isOwn = markOf(program, 'recordId', parameter) === true;
    if (!isOwn && (name !== 'id' || (parameter.optional && !isPlaced))) continue;
    const example = isOwn ? own : (above ?? own);
    if (example !== undefined) setExample(program, parameters, name, isPlaced ? example : String(example));
  }
};

/** Gives an operation's parameter an example of its own. */
const setExample = (program: Program, parameters: Model, name: string, example: unknown): void => {
  const shared = parameters.properties.get(name);
  if (!shared) return;
  const own = program.checker.cloneType(shared, { model: parameters });
  // Otherwise the parameter would be the same component in all operations.
  delete own.sourceProperty;
  setExtension(program, own, 'x-example', example as string);
  parameters.properties.set(name, own);
};

const exampleOf = (program: Program, resource: Model): Readonly<Record<string, unknown>> => {
  const [example] = getExamples(program, resource);
  return example ? (serializeValueAsJson(program, example.value, resource) as Record<string, unknown>) : {};
};

/** Returns an example of a filter: the value that the resource's example has, a day for a date-time. */
export const filterExample = (program: Program, resource: Model, { name }: ModelProperty, kind: Kind): string => {
  const value = exampleOf(program, resource)[name] ?? null;
  if (value === null) return 'null';
  if (kind.type === 'json') return '-null';
  if (kind.type === 'date_time' || kind.type === 'date') return `>=${String(value).slice(0, 10)}`;
  return String(value).replaceAll(/[\\,*~<>]|^-/g, '\\$&');
};
