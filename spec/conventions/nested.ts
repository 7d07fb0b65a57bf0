import {
  $summary,
  $tag,
  type DecoratorContext,
  getSummary,
  type Interface,
  type Model,
  type Operation,
} from '@typespec/compiler';
import { $route, isPathParam } from '@typespec/http';
import { $operationId, setExtension } from '@typespec/openapi';
import { exemplify, exemplifyIds } from '../parameter-examples.ts';
import { article, camel, words } from '../words.ts';
import { keyOf, markOf, setMark } from './marks.ts';
import { addSharedParameters } from './operations.ts';

/** Where a nested operation finds the id of its record. */
export interface Place {
  readonly in: 'path' | 'query' | 'body';
  readonly name: string;
}

/**
 * Sets the path of a child's interface below the parent, and the names of its operations.
 * Without a field, the path is below all parents.
 */
export const servesUnder = (
  context: DecoratorContext,
  target: Interface,
  parent: Model,
  child: Model,
  segment: string,
  field?: string,
): void => {
  const { program } = context;
  setMark(context, 'nested', target, { parent, child, segment, field });
  const [above, resource] = [parent, child].map(model => markOf(program, 'resource', model));
  if (!above || !resource) return;
  context.call($route, target, field === undefined ? `/${above}/${segment}` : `/${above}/{id}/${segment}`);
  const module = markOf(program, 'module', child) ?? markOf(program, 'module', parent);
  for (const operation of target.operations.values()) {
    const verb = markOf(program, 'verb', operation);
    if (!verb) continue;
    addSharedParameters(context, operation);
    exemplify(program, operation, child);
    exemplifyIds(program, operation, child, field);
    context.call($tag, operation, above);
    context.call($operationId, operation, `${camel(`${above}-${segment}`)}_${operation.name}`);
    setExtension(program, operation, 'x-resource', resource);
    setExtension(program, operation, 'x-verb', verb);
    const record = verb === 'list' || verb === 'create' ? {} : { record: recordIdOf(context, operation, child) };
    if (field !== undefined) setExtension(program, operation, 'x-parent', { resource: above, field, ...record });
    if (module) setExtension(program, operation, 'x-module', module);
    if (!getSummary(program, operation)) context.call($summary, operation, summary(verb, child, parent));
  }
};

/** Returns the parameter marked `@recordId`; without one, the key in the body. */
const recordIdOf = ({ program }: DecoratorContext, { parameters }: Operation, child: Model): Place => {
  const found = [...parameters.properties.values()].find(property => markOf(program, 'recordId', property));
  if (found) return { in: isPathParam(program, found) ? 'path' : 'query', name: found.name };
  return { in: 'body', name: keyOf(program, child) };
};

const summary = (verb: string, child: Model, parent: Model): string => {
  const [one, above] = [words(child.name), words(parent.name)];
  const what = verb === 'list' ? `the ${one}s` : article(one);
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${what} of ${article(above)}`;
};
