import {
  $doc,
  $summary,
  $tag,
  type DecoratorArgument,
  type DecoratorContext,
  getDeprecationDetails,
  getDoc,
  getSummary,
  type Interface,
  type Model,
  type ModelProperty,
  type Operation,
  type Program,
  type Value,
} from '@typespec/compiler';
import { $ } from '@typespec/compiler/typekit';
import { $query, $route, getOperationVerb, isBody, isPathParam } from '@typespec/http';
import { $extension, $operationId, getTagsMetadata, setExtension } from '@typespec/openapi';
import { sealInput } from '../inputs.ts';
import { exemplify, exemplifyIds, filterExample } from '../parameter-examples.ts';
import { article, camel, snake, words } from '../words.ts';
import { kindOf } from './kinds.ts';
import { markOf, setMark } from './marks.ts';
import { isIn } from './schemas.ts';

const operators: Record<string, string> = {
  integer: 'Integer: `7`, `-7` (not), `<7`, `>7`, `<=7`, `>=7`, `null`, `-null`, or several separated by commas (OR).',
  number:
    'Number: `1.5`, `-1.5` (not), `<1.5`, `>1.5`, `<=1.5`, `>=1.5`, `null`, `-null`, or several separated by commas (OR).',
  flag: 'Boolean: `0` or `1`, `-1` (not), `null`, `-null`.',
  text: 'String: `abc`, `-abc` (not) or `~abc` (ignores case). Parts: `*abc*` (contains), `*abc` (starts with), `abc*` (ends with). Also `null`, `-null`, an empty value, or several separated by commas (OR).',
  date: 'Date: `2026-04-01`, `-2026-04-01` (not), with the prefix `<`, `>`, `<=` or `>=`, `~2026-04` (within), `null`, `-null`, or several separated by commas (OR).',
  date_time:
    'Date-time or a whole day: `2026-04-01`, with the prefix `<`, `>`, `<=` or `>=`, `~2026-04` (within), `null`, `-null`, or several separated by commas (OR).',
  json: 'Object or array: `null`, `-null`.',
  array: 'Array: `null`, `-null`, `*7*` (contains the item).',
};

/** Adds a query parameter for each field that a listing can be filtered by. */
export const filtersOf = ({ program }: DecoratorContext, target: Operation, resource: Model): void => {
  const parameters = target.parameters.properties;
  for (const field of resource.properties.values()) {
    if (!isIn(program, field, 'Read')) continue;
    const kind = kindOf(program, field.type);
    if (!kind) continue;
    // A nested listing's path may have a parameter of that name, and TypeSpec can't declare both.
    const isBracketed = isPlaced(program, parameters.get(field.name)) || markOf(program, 'bracketed', field);
    const name = isBracketed ? `${field.name}[]` : field.name;
    const text = `Filters by \`${field.name}\`. ${operators[kind.items ? 'array' : kind.type]}`;
    // An operation derived from another copies its parameters together with these decorators.
    const property = program.checker.createType({
      kind: 'ModelProperty',
      name,
      type: $(program).builtin.string,
      optional: true,
      decorators: [
        { decorator: $query, args: [argument({ explode: true })] },
        { decorator: $doc, args: [argument(text)] },
        { decorator: $extension, args: [argument('x-filter'), argument({ type: kind.type })] },
        {
          decorator: $extension,
          args: [argument('x-example'), argument(filterExample(program, resource, field, kind))],
        },
      ],
      model: target.parameters,
    }) as ModelProperty;
    parameters.set(name, program.checker.finishType(property));
  }
};

/** Adds the parameters of all operations with this HTTP method or verb, from the convention models. */
export const addSharedParameters = ({ program }: DecoratorContext, target: Operation): void => {
  const method = getOperationVerb(program, target);
  const verb = markOf(program, 'verb', target);
  spread(program, target, 'RequestHeaders');
  if (method === 'get') spread(program, target, 'CacheHeaders');
  if (method === 'post' || method === 'put') spread(program, target, 'IdempotencyHeaders');
  if (verb === 'update' || verb === 'upsert' || verb === 'delete') spread(program, target, 'PreconditionHeaders');
  if (method && method !== 'get' && !markOf(program, 'withdrawn', target))
    spread(program, target, 'RehearsalParameters');
};

/** Rejects additional fields in the body of an action. */
const sealBody = ({ program }: DecoratorContext, { parameters }: Operation): void => {
  for (const property of parameters.properties.values())
    if (isBody(program, property)) sealInput(program, property.type);
};

/** Adds the properties of a convention model to the operation's parameters, as a spread in TypeSpec. */
const spread = (program: Program, target: Operation, name: string): void => {
  const [model] = program.resolveTypeReference(`Staffing.${name}`);
  if (model?.kind !== 'Model') throw new Error(`The conventions of the spec must define the model ${name}.`);
  for (const property of model.properties.values()) {
    if (target.parameters.properties.has(property.name)) continue;
    const own = program.checker.cloneType(property, { model: target.parameters, sourceProperty: property });
    target.parameters.properties.set(property.name, own);
  }
};

const isPlaced = (program: Program, parameter: ModelProperty | undefined): boolean =>
  parameter !== undefined && isPathParam(program, parameter);

const argument = (value: unknown): DecoratorArgument => ({ value: value as Value, jsValue: value as string });

const summaries: Record<string, (model: Model, plural: string) => string> = {
  list: (_, plural) => `List ${plural}`,
  read: ({ name }) => `Read ${article(words(name))}`,
  create: ({ name }) => `Create ${article(words(name))}`,
  update: ({ name }) => `Update ${article(words(name))}`,
  upsert: ({ name }) => `Create or update ${article(words(name))}`,
  delete: ({ name }) => `Delete ${article(words(name))}`,
  import: (_, plural) => `Import ${plural}`,
};

/** Sets the path and the tag of the interface, and the names of its operations. */
export const serves = (context: DecoratorContext, target: Interface, model: Model, path?: string): void => {
  const { program } = context;
  const resource = markOf(program, 'resource', model);
  if (!resource) return;
  setMark(context, 'serves', target, model);
  const [tag = resource, ...below] = (path ?? resource).split('/');
  context.call($route, target, `/${path ?? resource}`);
  if (below.length === 0) describeTag(context, target, tag);
  for (const operation of target.operations.values()) {
    const verb = markOf(program, 'verb', operation);
    const module = markOf(program, 'module', operation) ?? markOf(program, 'module', model);
    const alias = markOf(program, 'alias', operation);
    addSharedParameters(context, operation);
    exemplifyIds(program, operation, model);
    if (verb) exemplify(program, operation, model);
    else sealBody(context, operation);
    context.call($tag, operation, tag);
    context.call($operationId, operation, `${camel([tag, ...below].join('-'))}_${operation.name}`);
    setExtension(program, operation, 'x-resource', resource);
    if (verb) setExtension(program, operation, 'x-verb', verb);
    else setExtension(program, operation, 'x-xml-root', markOf(program, 'xmlRoot', operation) ?? snake(operation.name));
    if (alias !== undefined) setExtension(program, operation, 'x-alias', operation.name);
    if (module) setExtension(program, operation, 'x-module', module);
    const externalId = externalIdOf(program, operation);
    if (externalId !== undefined) setExtension(program, operation, 'x-external-id', externalId);
    const summary = alias === undefined && verb ? summaries[verb]?.(model, resource.replaceAll('-', ' ')) : undefined;
    if (summary && !getSummary(program, operation))
      context.call($summary, operation, externalId === undefined ? summary : `${summary} by external id`);
  }
};

/**
 * Returns the name of the path parameter with the record's external id.
 * Undefined if the path has none.
 */
const externalIdOf = (program: Program, { parameters }: Operation): string | undefined =>
  [...parameters.properties.values()].find(property => markOf(program, 'identifiesExternally', property))?.name;

/** Sets path, tag and names of operations of an interface whose actions belong to no resource. */
export const servesPath = (context: DecoratorContext, target: Interface, name: string): void => {
  const { program } = context;
  setMark(context, 'servesPath', target, name);
  context.call($route, target, `/${name}`);
  describeTag(context, target, name);
  for (const operation of target.operations.values()) {
    addSharedParameters(context, operation);
    sealBody(context, operation);
    context.call($tag, operation, name);
    context.call($operationId, operation, `${camel(name)}_${operation.name}`);
    setExtension(program, operation, 'x-xml-root', markOf(program, 'xmlRoot', operation) ?? snake(operation.name));
  }
};

/**
 * Describes the tag with the interface's doc comment.
 * Of several interfaces of a resource, the one with the verbs counts.
 */
const describeTag = ({ program }: DecoratorContext, target: Interface, name: string): void => {
  const tags = target.namespace && getTagsMetadata(program, target.namespace);
  const description = getDoc(program, target) ?? '';
  const known = tags?.find(tag => tag.name === name);
  if (!known) tags?.push({ name, description });
  else if (!known.description || [...target.operations.values()].some(operation => markOf(program, 'verb', operation)))
    Object.assign(known, { description });
};

/** Records an operation's deprecation date and replacement, for response headers and description. */
export const deprecatedSince = (
  context: DecoratorContext,
  target: Operation,
  date: string,
  successor: string,
): void => {
  const { program } = context;
  setMark(context, 'deprecatedSince', target, date);
  setExtension(program, target, 'x-deprecated-since', date);
  setExtension(program, target, 'x-successor', successor);
  // The message of the directive is shown nowhere else.
  const instead = getDeprecationDetails(program, target)?.message;
  if (instead) context.call($doc, target, `${getDoc(program, target) ?? ''}\n\nDeprecated since ${date}. ${instead}`);
};
