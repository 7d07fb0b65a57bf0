import { setImmediate } from 'node:timers/promises';
import type { ErrorObject } from 'ajv';
import {
  type Operation as BackendOperation,
  type Document,
  type Handler,
  OpenAPIBackend,
  type ParsedRequest,
} from 'openapi-backend';
import { cachedBy } from '../../core/cached.ts';
import { ApiError, type FieldError } from '../../core/errors.ts';
import type { ParsedObject } from '../../core/json/object.ts';
import { suggestion } from '../../core/names.ts';
import { root } from '../../core/root.ts';
import { type FormSchema, toStoredForm } from '../../core/stored-form.ts';
import { ajv } from '../../core/validator.ts';
import { toFieldErrors } from '../../core/violations.ts';
import { createFinder, type Match, type MatchResult, type Missing } from './match.ts';
import { type ApiDocument, operationsOf } from './operation.ts';
import type { AdmittedTo, Steps } from './steps.ts';

/** What a request is routed by. */
export interface RequestTarget {
  readonly method: string;
  /** Relative to the root of the API, not decoded. */
  readonly path: string;
  /** The query parameters; undefined: the handlers check them, not the document. */
  readonly query?: Readonly<Record<string, string | number>>;
}

/** What requests are routed to and checked by. */
export interface Routes<Handle> {
  readonly document: ApiDocument;
  /** By operationId. */
  readonly handlers: ReadonlyMap<string, Handle>;
  /** Whether the document checks parameters, by a copy of its own; default: the handlers do. */
  readonly checksParameters?: boolean;
}

/** A request in the form that openapi-backend expects, already matched. */
interface Incoming<Admission> extends ParsedRequest {
  readonly found: MatchResult;
  admission: Admission | null;
}

/** Returns the error of a path that no operation has; an empty one is not below the root. */
const unknownPath = (path: string, known: readonly string[]): ApiError => {
  const hint =
    path === ''
      ? ` Paths of the API begin with ${root}.`
      : suggestion(path.replaceAll(/(?<=\/)\d+(?=\/|$)/g, '{id}'), known);
  return new ApiError('not_found', {
    message: `There is no such path.${hint}`,
    description: 'Check the path, and the ids in it.',
  });
};

/**
 * Returns a function that routes a request to the handler of its operation, after the steps.
 * openapi-backend calls them and validates. Violations by the body do not reject a request: the last step does.
 * @throws (the returned function) ApiError 404, 405, 400 for parameters, and what the steps throw
 */
export const createDispatch = <Request, Principal, Admission extends ParsedObject, Handle, Result>(
  { document, handlers, checksParameters = false }: Routes<Handle>,
  steps: Steps<Request, Principal, Admission, Handle, Result>,
): ((request: Request, target: RequestTarget) => Promise<Result>) => {
  const find = createFinder(operationsOf(document));
  const paths = [...new Set(operationsOf(document).map(({ path }) => path))];
  const [scheme = ''] = Object.keys(document.components?.securitySchemes ?? {});
  const registered = ([operationId, handler]: [string, Handle]): [string, Handler] => [
    operationId,
    async ({ request: parsed, validation }, request: Request, match: Match) => {
      // Safe: handlers are called for admitted requests only.
      const { inexact, value: _, ...admission } = (parsed as Incoming<Admission>).admission as Admission;
      const findings = validation ? await bodyFindings(validation.errors ?? null, inexact) : inexact;
      const admitted = { ...admission, request, match, body: parsed.requestBody, findings };
      return steps.handle(admitted as unknown as AdmittedTo<Request, Admission>, handler);
    },
  ];
  const api = new OpenAPIBackend({
    definition: checksParameters ? document : bodiesPart(document),
    strict: true,
    // Skips its validation of the document, which supports OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv,
    validate: (_, __, { operation }: Match) => checksParameters || operation.takes === 'json',
    securityHandlers: { [scheme]: (_, request: Request) => steps.authenticate(request) },
  });
  // With `quick` and a document in memory, init() completes synchronously.
  void api.init();
  api.validator.requestValidators = validatorsOf(document, api.validator.requestValidators);
  // Not with register(), which builds the list of all operations for each of them.
  api.handlers = {
    ...Object.fromEntries([...handlers].map(registered)),
    validationFail: (context, request: Request, match: Match) => {
      if (checksParameters) requireParameters(context.validation.errors ?? []);
      return api.handlers[match.operation.operationId]?.(context, request, match);
    },
    notFound: async ({ request: { path } }, request: Request) => {
      await steps.authenticate(request);
      throw unknownPath(path, paths);
    },
    methodNotAllowed: async (_, request: Request, { allow }: Missing) => {
      await steps.authenticate(request);
      throw new ApiError('method_not_allowed', { headers: { Allow: allow } });
    },
    unauthorizedHandler: ({ security }) => {
      throw security[scheme]?.error ?? new ApiError('missing_token');
    },
    postSecurityHandler: async ({ security, request: parsed }, request: Request, match: Match) => {
      if (!security.authorized && security[scheme]) return;
      if (!security[scheme] || 'error' in security[scheme]) security[scheme] = await steps.anonymous?.(request);
      if (!security[scheme]) throw new ApiError('missing_token');
      const admission = await steps.admit(request, match, security[scheme]);
      (parsed as Incoming<Admission>).admission = admission;
      const schema = schemas.get(match.operation.operationId);
      parsed.requestBody = schema ? toStoredForm(schema, admission.value) : admission.value;
    },
  };
  const operations = new Map(api.getOperations().map(operation => [operation.operationId, operation]));
  const schemas = new Map([...operations].map(([id, operation]) => [id, bodySchemaOf(operation)]));
  // openapi-backend's own router builds a list and regular expressions on each request (0.5 ms) and parses the request
  // again (0.07 ms).
  api.router.matchOperation = ({ found }: Incoming<Admission>) => {
    const operation = found.operation && operations.get(found.operation.operationId);
    if (operation) return operation;
    throw new Error('allow' in found && found.allow !== '' ? '405' : '404');
  };
  api.router.parseRequest = (request: Incoming<Admission>) => request;
  return (request, { method, path, query = {} }) => {
    const found = find(method, path);
    const params = 'params' in found ? found.params : {};
    const parts = { method, path, params, query, headers: {}, cookies: {}, requestBody: undefined };
    return api.handleRequest({ ...parts, found, admission: null } as unknown as Incoming<Admission>, request, found);
  };
};

/** Returns the schema of an operation's JSON body; undefined: it takes none. */
const bodySchemaOf = ({ requestBody }: BackendOperation): FormSchema | undefined =>
  requestBody && 'content' in requestBody
    ? (requestBody.content['application/json']?.schema as FormSchema | undefined)
    : undefined;

type Validators = OpenAPIBackend['validator']['requestValidators'];

/** Returns the validators of a document, which the instances of a process share: those of the first. */
const validatorsOf = cachedBy((_: ApiDocument, own: Validators) => own);

/** Returns the part of a document that bodies are checked by. */
const bodiesPart = (document: ApiDocument): Document => {
  const { openapi, info, security: usual, components: { schemas, securitySchemes } = {} } = document;
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, operationId, requestBody, security } of operationsOf(document))
    paths[path] = { ...paths[path], [method]: { operationId, requestBody, security } };
  return { openapi, info, security: usual, components: { schemas, securitySchemes }, paths } as Document;
};

/** Returns the errors of a body: violations of its schema, and numbers that are inexact. */
const bodyFindings = async (
  errors: readonly ErrorObject[] | null,
  inexact: readonly FieldError[],
): Promise<readonly FieldError[]> => {
  // Each pass over a body with very many members takes long: other requests have their turn between this one and the next.
  if (errors) await setImmediate();
  const found = errors ? toFieldErrors(errors, '/requestBody') : [];
  return [...found, ...inexact.filter(({ field }) => !found.some(other => other.field === field))];
};

/** Checks the parameters by the document. @throws ApiError 404 of the path, 400 of the query */
const requireParameters = (errors: readonly ErrorObject[]): void => {
  if (toFieldErrors(errors, '/path').length > 0) throw new ApiError('not_found');
  const [found] = toFieldErrors(errors, '/query');
  if (!found) return;
  const { field, code, message } = found;
  throw code === 'unknown_field'
    ? new ApiError('unknown_field', { message: `${field} is not a parameter of this operation.` })
    : new ApiError('invalid_parameter', { message: `${field}: ${message.replace(/^.*?: /, '')}` });
};
