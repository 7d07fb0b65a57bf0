import {
  getDoc,
  getMaxLength,
  getMinLength,
  getPattern,
  type ModelProperty,
  type Program,
  type Type,
} from '@typespec/compiler';
import { getHeaderFieldName, isHeader } from '@typespec/http';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { namespaceOf } from '../spec/program.ts';
import type { Schema } from '../spec/schema.ts';

/** A parameter or header in the document. */
interface Described {
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

interface ExchangedResponse {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: object;
}

interface ExchangedOperation {
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly $ref?: string }[];
  readonly responses: Record<string, ExchangedResponse>;
}

type DescribedHeaders = Readonly<Record<string, Described>>;

/**
 * Declares what requests and responses of all operations have in common, as the spec's models say.
 * These are the headers of responses, and as components the parameters that no operation declares itself.
 */
export const declareExchange = (program: Program, document: OpenAPI3Document): OpenAPI3Document => {
  const headersOf = (model: string) => membersOf(program, model);
  const [all, success, replay, warning, deprecation] = [
    'ResponseHeaders',
    'RepresentationHeaders',
    'ReplayHeaders',
    'WarningHeaders',
    'DeprecationHeaders',
  ].map(headersOf) as [DescribedHeaders, DescribedHeaders, DescribedHeaders, DescribedHeaders, DescribedHeaders];
  for (const operation of operationsOf(document)) {
    const repeatable = operation.parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyHeaders'));
    const warns = operation.parameters?.some(({ $ref }) => $ref?.includes('/StaffingParameters'));
    for (const [status, response] of Object.entries(operation.responses)) {
      const succeeds = Number(status) < 300;
      const added = {
        ...all,
        ...(succeeds && response.content && success),
        ...(succeeds && repeatable && replay),
        ...(succeeds && warns && warning),
        // Error responses are shared by all operations.
        ...((operation.deprecated || Number(status) >= 400) && deprecation),
      };
      const headers = { ...sharedHeaders(added), ...response.headers };
      operation.responses[status] = { ...response, headers };
    }
  }
  const { components } = document;
  return {
    ...document,
    components: {
      ...components,
      headers: { ...all, ...success, ...replay, ...warning, ...deprecation },
      parameters: { ...components?.parameters, ...optionsOf(program) },
    },
  } as OpenAPI3Document;
};

const operationsOf = ({ paths }: OpenAPI3Document): readonly ExchangedOperation[] =>
  Object.values(paths as Record<string, Record<string, ExchangedOperation>>).flatMap(item => Object.values(item));

const sharedHeaders = (headers: DescribedHeaders): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.keys(headers).map(name => [name, { $ref: `#/components/headers/${name}` }]));

/** Returns the components of the parameters that no operation declares. */
const optionsOf = (program: Program): Readonly<Record<string, object>> =>
  Object.fromEntries(
    ['FormParameters', 'OverrideHeaders'].flatMap(model =>
      [...propertiesOf(program, model)].map(property => [
        `${model}.${property.name}`,
        { name: property.name, in: isHeader(program, property) ? 'header' : 'query', ...describe(program, property) },
      ]),
    ),
  );

const propertiesOf = (program: Program, model: string): readonly ModelProperty[] => [
  ...(namespaceOf(program).models.get(model)?.properties.values() ?? []),
];

/** Returns the description of the members of a convention model, headers by their names in HTTP. */
export const membersOf = (program: Program, model: string): DescribedHeaders =>
  Object.fromEntries(
    propertiesOf(program, model).map(property => [
      getHeaderFieldName(program, property) ?? property.name,
      describe(program, property),
    ]),
  );

const describe = (program: Program, property: ModelProperty): Described => ({
  required: !property.optional,
  description: getDoc(program, property) ?? '',
  schema: Object.fromEntries(
    Object.entries({
      ...schemaOf(property.type),
      minLength: getMinLength(program, property),
      maxLength: getMaxLength(program, property),
      pattern: getPattern(program, property),
    }).filter(([, value]) => value !== undefined),
  ),
});

const schemaOf = (type: Type): Schema => {
  if (type.kind === 'String') return { type: 'string', enum: [type.value] };
  if (type.kind === 'Union' && type.name) return { $ref: `#/components/schemas/${type.name}` };
  if (type.kind === 'Union')
    return { type: 'string', enum: [...type.variants.values()].map(({ type }) => 'value' in type && type.value) };
  const scalar = type.kind === 'Scalar' ? type.name : '';
  return { type: scalar === 'int32' ? 'integer' : 'string' };
};
