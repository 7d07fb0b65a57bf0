import {
  getExamples,
  type Model,
  type ModelProperty,
  type Operation,
  type Program,
  serializeValueAsJson,
} from '@typespec/compiler';
import { setExtension } from '@typespec/openapi';
import type { Kind } from './conventions/kinds.ts';
import { keyOf, markOf } from './conventions/marks.ts';
import { isIn } from './conventions/schemas.ts';

/** Gives `fields`, `sort` and `embed` of a resource's operation examples: its own fields and one of its relations. */
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
  for (const [name, example] of Object.entries(examples)) {
    const shared = parameters.properties.get(name);
    if (!shared || example === undefined) continue;
    const own = program.checker.cloneType(shared, { model: parameters });
    // Otherwise the parameter would be the same component in all operations.
    delete own.sourceProperty;
    setExtension(program, own, 'x-example', example);
    parameters.properties.set(name, own);
  }
};

/** Returns an example of a filter: the value that the resource's example has, a day for a date-time. */
export const filterExample = (program: Program, resource: Model, { name }: ModelProperty, kind: Kind): string => {
  const [example] = getExamples(program, resource);
  const values = example && (serializeValueAsJson(program, example.value, resource) as Record<string, unknown>);
  const value = values?.[name] ?? null;
  if (value === null) return 'null';
  if (kind.type === 'json') return '-null';
  if (kind.type === 'date_time' || kind.type === 'date') return `>=${String(value).slice(0, 10)}`;
  return String(value).replaceAll(/[\\,*~<>]|^-/g, '\\$&');
};
