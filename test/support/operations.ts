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
  readonly responses: Readonly<Record<string, unknown>>;
  /** No token is asked for. */
  readonly open: boolean;
  /** The body is not JSON but any bytes. */
  readonly raw: boolean;
  /** Names of the path's placeholders. */
  readonly placeholders: readonly string[];
}

type Schema = { readonly $ref?: string; readonly examples?: readonly Readonly<Record<string, unknown>>[] };
interface PathOperation {
  readonly operationId: string;
  readonly 'x-resource'?: string;
  readonly 'x-verb'?: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: Schema }> }>>;
  readonly requestBody?: { readonly content: Record<string, { schema: Schema }> };
}

const document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
} = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));

const all = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    ['get', 'post', 'put', 'delete'].includes(method) ? [{ path, method, operation }] : [],
  ),
);

/** Every operation of the document: what is in the spec is in the tests that walk this. */
export const operations: readonly Operation[] = all.map(({ path, method, operation }) => ({
  operationId: operation.operationId,
  method: method.toUpperCase() as Operation['method'],
  path,
  resource: operation['x-resource'] ?? '',
  verb: operation['x-verb'],
  responses: operation.responses,
  open: operation.security?.some(scheme => Object.keys(scheme).length === 0) ?? false,
  raw: operation.requestBody !== undefined && !('application/json' in operation.requestBody.content),
  placeholders: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string),
}));

/** The operation of a resource's verb; undefined if it has none. */
export const operationOf = (resource: string, verb: string): Operation | undefined =>
  operations.find(operation => operation.resource === resource && operation.verb === verb);

/** What the tests send to an operation: its example, or some bytes where it takes any. */
export const sampleBody = (operation: Operation): unknown =>
  operation.raw ? Buffer.from('some bytes') : exampleBody(operation);

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

/** What is wrong with an answer by the document: its status is not one of the operation's, or its body does not fit. Empty: nothing. */
export const violations = (operation: Operation, status: number, body: unknown): readonly string[] => {
  const item = document.paths[operation.path]?.[operation.method.toLowerCase()];
  const response = item?.responses[status];
  if (!response) return [`${operation.operationId} does not document the status ${status}`];
  if (!response.content) return body === null ? [] : [`${operation.operationId} ${status} documents no body`];
  // Bytes of any type fit.
  if (!('application/json' in response.content)) return [];
  const pointer = [
    'paths',
    operation.path,
    operation.method.toLowerCase(),
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ]
    .map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` });
  validators.set(pointer, validate);
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${operation.operationId} ${status} ${instancePath}: ${message}`,
  );
};
