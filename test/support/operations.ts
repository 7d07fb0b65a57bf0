import { readFileSync } from 'node:fs';
import { mismatches } from './conformance/document.ts';

/** An operation of the published document. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path template: `/clients/{id}`. */
  readonly path: string;
  readonly resource: string;
  readonly verb: string | undefined;
  /** The module that the tenant needs. */
  readonly module: string | undefined;
  /** Whether it is for sandboxes only. */
  readonly sandbox: boolean;
  /** Name of a predefined listing. */
  readonly alias: string | undefined;
  /** The parent resource of a nested path, and the parameter for the id of the operation's own record. */
  readonly parent: Parent | undefined;
  /** The placeholder of the path that is replaced by the record's external id: in scenes, the text of its id. */
  readonly externalId: string | undefined;
  readonly responses: Readonly<Record<string, unknown>>;
  /** Whether it needs no token. */
  readonly open: boolean;
  readonly deprecated: boolean;
  /** Whether the request body is bytes of any type instead of JSON. */
  readonly raw: boolean;
  /** Whether it has a request body. */
  readonly takesBody: boolean;
  /** Whether successful responses are JSON. */
  readonly respondsWithJson: boolean;
  /** Names of the path's placeholders of ids. */
  readonly placeholders: readonly string[];
  /** Names of the boolean query parameters. */
  readonly switches: readonly string[];
  /** Names of the query's parameters. */
  readonly queries: readonly string[];
}

/** The parent of a nested operation. */
export interface Parent {
  readonly resource: string;
  readonly field: string;
  readonly record?: { readonly in: 'path' | 'query' | 'body'; readonly name: string };
}

type Schema = { readonly $ref?: string; readonly examples?: readonly Readonly<Record<string, unknown>>[] };
type Parameter = {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly schema?: { readonly type?: string; readonly $ref?: string };
};
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
  readonly 'x-sandbox'?: boolean;
  readonly 'x-parent'?: Parent;
  readonly 'x-external-id'?: string;
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

/** All operations of the document; tests that iterate over them cover new operations automatically. */
export const operations: readonly Operation[] = all.map(({ path, method, operation }) => ({
  operationId: operation.operationId,
  method: method.toUpperCase() as Operation['method'],
  path,
  resource: operation['x-resource'] ?? '',
  verb: operation['x-verb'],
  alias: operation['x-alias'],
  module: operation['x-module'],
  sandbox: operation['x-sandbox'] === true,
  parent: operation['x-parent'],
  externalId: operation['x-external-id'],
  deprecated: operation.deprecated ?? false,
  responses: operation.responses,
  open: operation.security?.some(scheme => Object.keys(scheme).length === 0) ?? false,
  raw: operation.requestBody !== undefined && !('application/json' in operation.requestBody.content),
  takesBody: operation.requestBody !== undefined,
  respondsWithJson: ['200', '201'].some(status =>
    JSON.stringify(operation.responses[status] ?? {}).includes('application/json'),
  ),
  placeholders: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string).filter(name => name !== 'preset'),
  switches: (operation.parameters ?? [])
    .map(resolved)
    .flatMap(({ in: place, name = '', schema }) =>
      place === 'query' && schema?.$ref === '#/components/schemas/FlagInput' ? [name] : [],
    ),
  queries: (operation.parameters ?? [])
    .map(resolved)
    .flatMap(({ in: place, name = '' }) => (place === 'query' ? [name] : [])),
}));

const keyOf = (resource: string, verb: string | undefined): string => `${resource} ${verb}`;

/** By resource and verb; for hand-written operations, the verb is the second part of the operationId. */
const byVerb = Map.groupBy(
  operations.filter(({ alias, externalId }) => alias === undefined && !externalId),
  ({ resource, operationId, verb = operationId.split('_')[1] }) => keyOf(resource, verb),
);

/** Returns the operation of a resource's verb, preferably one that is not nested; undefined if there is none. */
export const operationOf = (resource: string, verb: string): Operation | undefined => {
  const found = byVerb.get(keyOf(resource, verb)) ?? [];
  return found.find(({ parent }) => !parent) ?? found.find(({ parent }) => parent?.record?.in === 'path') ?? found[0];
};

/** Returns the path of an operation with its ids filled in; nested paths start with the parent's id. */
export const pathOf = ({ path, parent, placeholders }: Operation, id: number, parentId = id): string => {
  const filled = placeholders.reduce(
    (text, name, index) => {
      const value = parent && index === 0 ? parentId : id;
      return text.replace(`{${name}}`, String(value));
    },
    path.replace('{preset}', path.startsWith('/payroll-formats') ? 'csv' : 'eu'),
  );
  return parent?.record?.in === 'query' ? `${filled}?${parent.record.name}=${id}` : filled;
};

/** Returns a valid body of an operation: its example, or bytes for an operation that accepts any content; undefined if it has none. */
export const sampleBody = (operation: Operation): unknown => {
  if (!operation.takesBody) return undefined;
  return operation.raw ? Buffer.from(operation.verb === 'import' ? '{}\n' : 'some bytes') : exampleBody(operation);
};

/** Returns a valid body of an operation that contains the record's id, if the operation expects it in the body. */
export const bodyFor = (operation: Operation, id: number): unknown => {
  const { record } = operation.parent ?? {};
  return record?.in === 'body' ? { ...exampleBody(operation), [record.name]: id } : sampleBody(operation);
};

/** Returns the document's example of an operation's request body. @throws Error if there is none */
export const exampleBody = ({ operationId }: Operation): Readonly<Record<string, unknown>> => {
  const { operation } = all.find(candidate => candidate.operation.operationId === operationId) ?? {};
  const name = operation?.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
  const [example] = document.components.schemas[name]?.examples ?? [];
  if (!example) throw new Error(`The body of ${operationId} has no example.`);
  return example;
};

/** Returns the documented response of a status; null: the status is not documented. */
const responseOf = (operation: Operation, status: number): Response | null => {
  const found = document.paths[operation.path]?.[operation.method.toLowerCase()]?.responses[status];
  if (!found) return null;
  return '$ref' in found ? (document.components.responses[found.$ref.split('/').at(-1) as string] as Response) : found;
};

/** Returns the names of the required headers of a documented response, in lower case. */
export const requiredHeaders = (operation: Operation, status: number): readonly string[] =>
  Object.entries(responseOf(operation, status)?.headers ?? {}).flatMap(([name, { required }]) =>
    required ? [name.toLowerCase()] : [],
  );

/** Returns how a response differs from the document: an undocumented status, or a body that does not match its schema. */
export const violations = (operation: Operation, status: number, body: unknown): readonly string[] => {
  const response = responseOf(operation, status);
  if (!response) return [`${operation.operationId} does not document the status ${status}`];
  if (!response.content) return body === null ? [] : [`${operation.operationId} ${status} documents no body`];
  // Other media types allow any content.
  const { schema } = response.content['application/json'] ?? {};
  if (!schema) return [];
  return mismatches(schema, body).map(problem => `${operation.operationId} ${status} ${problem}`);
};
