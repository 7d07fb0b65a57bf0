import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** An operation of the published document. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With placeholders: `/clients/{id}`. */
  readonly path: string;
  readonly resource: string;
  readonly verb: string | undefined;
  /** What a tenant needs for it. */
  readonly module: string | undefined;
  /** A predefined listing. */
  readonly alias: string | undefined;
  /** What the path lies below, and where the id of the operation's own record goes. */
  readonly parent: Parent | undefined;
  readonly responses: Readonly<Record<string, unknown>>;
  /** No token is asked for. */
  readonly open: boolean;
  readonly deprecated: boolean;
  /** The body is not JSON but any bytes. */
  readonly raw: boolean;
  /** Its answers are JSON. */
  readonly answersJson: boolean;
  /** Names of the path's placeholders. */
  readonly placeholders: readonly string[];
  /** Names of the query's parameters. */
  readonly queries: readonly string[];
}

export interface Parent {
  readonly resource: string;
  readonly field: string;
  readonly record?: { readonly in: 'path' | 'query' | 'body'; readonly name: string };
}

type Schema = { readonly $ref?: string; readonly examples?: readonly Readonly<Record<string, unknown>>[] };
type Parameter = { readonly $ref?: string; readonly name?: string; readonly in?: string };
interface Response {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}
interface PathOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly 'x-resource'?: string;
  readonly 'x-verb'?: string;
  readonly 'x-alias'?: string;
  readonly 'x-module'?: string;
  readonly 'x-parent'?: Parent;
  readonly deprecated?: boolean;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
  readonly requestBody?: { readonly content: Record<string, { schema: Schema }> };
}

const document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
} = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));

const all = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    ['get', 'post', 'put', 'delete'].includes(method) ? [{ path, method, operation }] : [],
  ),
);

const resolved = (parameter: Parameter): Parameter =>
  parameter.$ref ? (document.components.parameters[parameter.$ref.split('/').at(-1) as string] ?? {}) : parameter;

/** Every operation of the document: what is in the spec is in the tests that walk this. */
export const operations: readonly Operation[] = all.map(({ path, method, operation }) => ({
  operationId: operation.operationId,
  method: method.toUpperCase() as Operation['method'],
  path,
  resource: operation['x-resource'] ?? '',
  verb: operation['x-verb'],
  alias: operation['x-alias'],
  module: operation['x-module'],
  parent: operation['x-parent'],
  deprecated: operation.deprecated ?? false,
  responses: operation.responses,
  open: operation.security?.some(scheme => Object.keys(scheme).length === 0) ?? false,
  raw: operation.requestBody !== undefined && !('application/json' in operation.requestBody.content),
  answersJson: ['200', '201'].some(status =>
    JSON.stringify(operation.responses[status] ?? {}).includes('application/json'),
  ),
  placeholders: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string),
  queries: (operation.parameters ?? [])
    .map(resolved)
    .flatMap(({ in: place, name = '' }) => (place === 'query' ? [name] : [])),
}));

/** The operation of a resource's verb, the one that is not nested where there are several; undefined if it has none. */
export const operationOf = (resource: string, verb: string): Operation | undefined => {
  const found = operations.filter(
    // Where an operation is written by hand, its name tells which verb it is.
    ({ operationId, verb: own = operationId.split('_')[1], ...operation }) =>
      operation.resource === resource && own === verb && operation.alias === undefined,
  );
  return found.find(({ parent }) => !parent) ?? found.find(({ parent }) => parent?.record?.in === 'path') ?? found[0];
};

/** The path of an operation with its ids filled in; for nested ones the parent's comes first. */
export const pathOf = ({ path, parent, placeholders }: Operation, id: number, parentId = id): string => {
  const filled = placeholders.reduce((text, name, index) => {
    const value = parent && index === 0 ? parentId : id;
    return text.replace(`{${name}}`, String(value));
  }, path);
  return parent?.record?.in === 'query' ? `${filled}?${parent.record.name}=${id}` : filled;
};

/** What the tests send to an operation: its example, or some bytes where it takes any. */
export const sampleBody = (operation: Operation): unknown =>
  operation.raw ? Buffer.from('some bytes') : exampleBody(operation);

/** The same, with the id of the record that it addresses where the body has that. */
export const bodyFor = (operation: Operation, id: number): unknown => {
  const { record } = operation.parent ?? {};
  return record?.in === 'body' ? { ...exampleBody(operation), [record.name]: id } : sampleBody(operation);
};

/** The example that the document has for an operation's body. */
export const exampleBody = ({ operationId }: Operation): Readonly<Record<string, unknown>> => {
  const { operation } = all.find(candidate => candidate.operation.operationId === operationId) ?? {};
  const name = operation?.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
  const [example] = document.components.schemas[name]?.examples ?? [];
  if (!example) throw new Error(`The body of ${operationId} has no example.`);
  return example;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: 'document', ...document });
const validators = new Map<string, ValidateFunction>();

/** An answer as the document describes it, and where in the document; null: the operation does not have it. */
const responseOf = (operation: Operation, status: number): { response: Response; place: readonly string[] } | null => {
  const method = operation.method.toLowerCase();
  const found = document.paths[operation.path]?.[method]?.responses[status];
  if (!found) return null;
  if (!('$ref' in found))
    return { response: found, place: ['paths', operation.path, method, 'responses', String(status)] };
  const name = found.$ref.split('/').at(-1) as string;
  return { response: document.components.responses[name] as Response, place: ['components', 'responses', name] };
};

/** The headers that the document says an answer never goes without, in lower case. */
export const requiredHeaders = (operation: Operation, status: number): readonly string[] =>
  Object.entries(responseOf(operation, status)?.response.headers ?? {}).flatMap(([name, { required }]) =>
    required ? [name.toLowerCase()] : [],
  );

/** What is wrong with an answer by the document: its status is not one of the operation's, or its body does not fit. Empty: nothing. */
export const violations = (operation: Operation, status: number, body: unknown): readonly string[] => {
  const found = responseOf(operation, status);
  if (!found) return [`${operation.operationId} does not document the status ${status}`];
  const { response, place } = found;
  if (!response.content) return body === null ? [] : [`${operation.operationId} ${status} documents no body`];
  // Bytes of any type fit.
  if (!('application/json' in response.content)) return [];
  const pointer = [...place, 'content', 'application/json', 'schema']
    .map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` });
  validators.set(pointer, validate);
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${operation.operationId} ${status} ${instancePath}: ${message}`,
  );
};
