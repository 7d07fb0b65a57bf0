import {
  $doc,
  $summary,
  $tag,
  type DecoratorArgument,
  type DecoratorContext,
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
import { $header, $query, $route, getOperationVerb, isBody, isPathParam } from '@typespec/http';
import { $extension, $operationId, getTagsMetadata, setExtension } from '@typespec/openapi';
import { kindOf } from './kinds.ts';
import { markOf, note } from './marks.ts';
import { isIn } from './schemas.ts';
import { article, camel, words } from './words.ts';

const operators: Record<string, string> = {
  integer: 'Whole number: `7`, `-7`, `<7`, `>7`, `<=7`, `>=7`, `null`, `-null`, or several with commas.',
  number: 'Number: `1.5`, `-1.5`, `<1.5`, `>1.5`, `<=1.5`, `>=1.5`, `null`, `-null`, or several with commas.',
  flag: 'Flag: `0` or `1`, `-1`, `null`, `-null`.',
  text: 'Text: `abc`, `-abc`, `~abc` (any case), `*abc*` (contains), `*abc` (starts with), `abc*` (ends with), `null`, `-null`, an empty value, or several with commas.',
  date: 'Date: `2026-04-01`, `-2026-04-01`, `<`, `>`, `<=`, `>=` before it, `~2026-04`, `null`, `-null`, or several with commas.',
  date_time:
    'Date-time or the whole of a date: `2026-04-01`, `<`, `>`, `<=`, `>=` before it, `~2026-04`, `null`, `-null`, or several with commas.',
  json: 'Object or array: `null`, `-null`.',
  array: 'Array: `null`, `-null`, `*7*` (has the item).',
};

/** Adds a query parameter for each field that a listing can be filtered by. */
export const filtersOf = ({ program }: DecoratorContext, target: Operation, resource: Model): void => {
  const parameters = target.parameters.properties;
  for (const field of resource.properties.values()) {
    if (!isIn(program, field, 'Read')) continue;
    const kind = kindOf(program, field.type);
    if (!kind) continue;
    // A nested listing's path has a parameter of that name; TypeSpec can't declare both.
    if (isPlaced(program, parameters.get(field.name))) continue;
    const text = `Keeps the records whose \`${field.name}\` passes. ${operators[kind.items ? 'array' : kind.type]}`;
    // An operation made after another copies its parameters, and with them these decorators.
    const property = program.checker.createType({
      kind: 'ModelProperty',
      name: field.name,
      type: $(program).builtin.string,
      optional: true,
      decorators: [
        { decorator: $query, args: [argument({ explode: true })] },
        { decorator: $doc, args: [argument(text)] },
        { decorator: $extension, args: [argument('x-filter'), argument({ type: kind.type })] },
      ],
      model: target.parameters,
    }) as ModelProperty;
    parameters.set(field.name, program.checker.finishType(property));
  }
};

const idempotencyKey = `Any text of 1 to 255 ASCII characters that stands for this one request of the API user: sent again within 24 hours, with the same address and body, it is answered as the first time (with \`Idempotency-Replayed: true\`) and changes nothing. Only successes are kept.`;
const ifMatch = `The ETag of the record as it was read, or \`*\`: if a read of the same address would give another one now, nothing is changed (\`precondition_failed\`).`;

/** Adds the request headers that writes take: Idempotency-Key wherever there is a body, If-Match where one record is changed. */
const takeHeaders = (context: DecoratorContext, target: Operation): void => {
  const method = getOperationVerb(context.program, target);
  const verb = markOf(context.program, 'verb', target);
  if (method === 'post' || method === 'put') addHeader(context, target, 'Idempotency-Key', idempotencyKey);
  if (verb === 'update' || verb === 'delete') addHeader(context, target, 'If-Match', ifMatch);
};

/** An action's body has the fields that its model tells, and no others. */
const sealBody = ({ program }: DecoratorContext, { parameters }: Operation): void => {
  for (const property of parameters.properties.values()) {
    if (isBody(program, property) && property.type.kind === 'Model')
      setExtension(program, property.type, 'additionalProperties', false);
  }
};

const addHeader = ({ program }: DecoratorContext, target: Operation, name: string, text: string): void => {
  const property = program.checker.createType({
    kind: 'ModelProperty',
    name,
    type: $(program).builtin.string,
    optional: true,
    decorators: [
      { decorator: $header, args: [argument({ name })] },
      { decorator: $doc, args: [argument(text)] },
    ],
    model: target.parameters,
  }) as ModelProperty;
  target.parameters.properties.set(name, program.checker.finishType(property));
};
const isPlaced = (program: Program, parameter: ModelProperty | undefined): boolean =>
  parameter !== undefined && isPathParam(program, parameter);

const argument = (value: unknown): DecoratorArgument => ({ value: value as Value, jsValue: value as string });

const summaries: Record<string, (model: Model, plural: string) => string> = {
  list: (_, plural) => `List ${plural}`,
  read: ({ name }) => `Read ${article(words(name))}`,
  create: ({ name }) => `Create ${article(words(name))}`,
  update: ({ name }) => `Update ${article(words(name))}`,
  delete: ({ name }) => `Delete ${article(words(name))}`,
};

/** Gives the interface its path and tag, and its operations their names. */
export const serves = (context: DecoratorContext, target: Interface, model: Model): void => {
  const { program } = context;
  const resource = markOf(program, 'resource', model);
  if (!resource) return;
  note(context, 'serves', target, model);
  context.call($route, target, `/${resource}`);
  describeTag(context, target, resource);
  for (const operation of target.operations.values()) {
    const verb = markOf(program, 'verb', operation);
    const module = markOf(program, 'module', operation) ?? markOf(program, 'module', model);
    const alias = markOf(program, 'alias', operation);
    takeHeaders(context, operation);
    if (!verb) sealBody(context, operation);
    context.call($tag, operation, resource);
    context.call($operationId, operation, `${camel(resource)}_${operation.name}`);
    setExtension(program, operation, 'x-resource', resource);
    if (verb) setExtension(program, operation, 'x-verb', verb);
    if (alias !== undefined) setExtension(program, operation, 'x-alias', operation.name);
    if (module) setExtension(program, operation, 'x-module', module);
    const summary = alias === undefined && verb ? summaries[verb]?.(model, resource.replaceAll('-', ' ')) : undefined;
    if (summary && !getSummary(program, operation)) context.call($summary, operation, summary);
  }
};

/** The interface's documentation is that of its tag. */
const describeTag = ({ program }: DecoratorContext, target: Interface, name: string): void => {
  const tags = target.namespace && getTagsMetadata(program, target.namespace);
  tags?.push({ name, description: getDoc(program, target) ?? '' });
};

/** Tells clients, in the headers of its answers, what takes the place of a deprecated operation. */
export const deprecatedSince = (
  { program }: DecoratorContext,
  target: Operation,
  date: string,
  successor: string,
): void => {
  setExtension(program, target, 'x-deprecated-since', date);
  setExtension(program, target, 'x-successor', successor);
};
