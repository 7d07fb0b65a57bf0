import { type Handler, OpenAPIBackend, type ParsedRequest } from 'openapi-backend';
import { ApiError, type FieldError, validationFailed } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json-object.ts';
import type { Tenant } from '../../../core/principal.ts';
import { type Schema, toStoredForm } from '../../../core/stored-form.ts';
import { ajv } from '../../../core/validator.ts';
import { toFieldErrors } from '../../../core/violations.ts';
import { createFinder, type Found, type Match, type Missing } from '../../../http/operation/match.ts';
import { type ApiDocument, type Operation, operationsOf, takesJson } from '../../../http/operation/operation.ts';
import { parseQueryString } from '../../../http/request/query-string.ts';
import type { Administrator } from '../../../tenancy/administrators.ts';
import type { AdministrationCall, AdministrationHandlers, OperationId } from './handler.ts';

/** A request to the administration API. */
export interface Asked {
  readonly method: string;
  /** Relative to the root of the API. */
  readonly path: string;
  readonly query: string;
  readonly requestId: string;
}

/** A request that may be served. */
export interface Admitted {
  readonly operation: Operation;
  readonly call: AdministrationCall<OperationId>;
}

/** What happens around the handlers; each step receives the results of those before it. */
export interface Steps<Request extends Asked> {
  /** Returns whose token the request has; runs before 404 and 405 too. @throws ApiError 401, 429 */
  authenticate(request: Request): Promise<Administrator>;
  /** Returns the tenant with that slug. @throws ApiError 404 if there is none, or it is not the administrator's */
  findTenant(slug: string, administrator: Administrator): Promise<Tenant>;
  /** Returns the body. @throws ApiError 400, 415 */
  readBody(request: Request, operation: Operation): Promise<JsonObject>;
  /** Calls the handler. */
  handle(request: Request, admitted: Admitted, work: () => Promise<unknown>): Promise<unknown>;
}

/** The status and the value of a successful response. */
export interface Outcome {
  readonly status: number;
  readonly value: unknown;
}

interface Incoming extends ParsedRequest {
  readonly found: Found;
  tenant: Tenant | null;
}

/**
 * Routes requests to the handlers of operations: openapi-backend calls the steps and validates parameters and bodies.
 * @throws (the returned function) ApiError 400, 401, 403, 404, 405, 415, 422, 429
 */
export const createDispatch = <Request extends Asked>(
  document: ApiDocument,
  handlers: AdministrationHandlers,
  steps: Steps<Request>,
): ((request: Request) => Promise<Outcome>) => {
  const find = createFinder(operationsOf(document));
  const [scheme = ''] = Object.keys(document.components?.securitySchemes ?? {});
  const registered = ([id, handle]: [string, AdministrationHandlers[OperationId]]): [string, Handler] => [
    id,
    async ({ security, request: parsed, validation }, request: Request, { operation }: Match) => {
      if (validation?.errors) throw problemOf(toFieldErrors(validation.errors));
      const { params, query, requestBody: body, tenant } = parsed as Incoming;
      // Safe: the document, from which the types are made, has been checked.
      const call = {
        administrator: security[scheme],
        tenant,
        params,
        query,
        body,
        requestId: request.requestId,
      } as unknown as AdministrationCall<OperationId>;
      const value = await steps.handle(request, { operation, call }, () => (handle as AnyHandler)(call));
      return { status: statusOf(operation), value } satisfies Outcome;
    },
  ];
  const api = new OpenAPIBackend({
    definition: document,
    strict: true,
    // Skips its validation of the document, which supports OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv,
    validate: true,
    securityHandlers: { [scheme]: (_, request: Request) => steps.authenticate(request) },
    handlers: {
      ...Object.fromEntries(Object.entries(handlers).map(registered)),
      validationFail: (context, request: Request, match: Match) =>
        api.handlers[match.operation.operationId]?.(context, request, match),
      notFound: async (_, request: Request) => {
        await steps.authenticate(request);
        throw new ApiError('not_found');
      },
      methodNotAllowed: async (_, request: Request, { allow }: Missing) => {
        await steps.authenticate(request);
        throw new ApiError('method_not_allowed', { headers: { Allow: allow } });
      },
      unauthorizedHandler: ({ security }) => {
        throw security[scheme]?.error ?? new ApiError('missing_token');
      },
      postSecurityHandler: async ({ security, request: parsed }, request: Request, match: Match) => {
        if (!security.authorized) return;
        const incoming = parsed as Incoming;
        const { tenant } = match.params;
        if (tenant !== undefined) incoming.tenant = await steps.findTenant(String(tenant), security[scheme]);
        const body = await steps.readBody(request, match.operation);
        const { operationId } = match.operation;
        incoming.requestBody = takesJson(match.operation) ? toStoredForm(bodySchemaOf(operationId), body) : undefined;
      },
    },
  });
  // With `quick` and a document in memory, init() completes synchronously.
  void api.init();
  const operations = new Map(api.getOperations().map(operation => [operation.operationId, operation]));
  const bodySchemaOf = (id: string): Schema => {
    const content = operations.get(id)?.requestBody;
    return (content && 'content' in content && (content.content['application/json']?.schema as Schema)) || {};
  };
  // As for the tenants' API: ids are parsed strictly, and the request is parsed once.
  api.router.matchOperation = ({ found }: Incoming) => {
    const operation = found.operation && operations.get(found.operation.operationId);
    if (operation) return operation;
    throw new Error('allow' in found && found.allow !== '' ? '405' : '404');
  };
  api.router.parseRequest = (request: Incoming) => request;
  return async request => {
    const { method, path } = request;
    const found = find(method, path);
    const params = 'params' in found ? found.params : {};
    const incoming = {
      method,
      path,
      found,
      params,
      query: queryOf(request.query),
      headers: {},
      cookies: {},
      requestBody: undefined,
      tenant: null,
    };
    return api.handleRequest(incoming as unknown as Incoming, request, found);
  };
};

type AnyHandler = (call: AdministrationCall<OperationId>) => Promise<unknown>;

/** Returns the status with which the operation succeeds. */
export const statusOf = ({ responses = {} }: Operation): number =>
  Number(Object.keys(responses).find(status => status < '300'));

/** Returns the query parameters by name, whole numbers as numbers. @throws ApiError invalid_parameter (400) */
const queryOf = (query: string): Record<string, string | number> => {
  const parameters = parseQueryString(query);
  if (!parameters)
    throw new ApiError('invalid_parameter', { message: 'The query string is not percent-encoded UTF-8.' });
  const names = new Set(parameters.map(([name]) => name));
  if (names.size < parameters.length)
    throw new ApiError('invalid_parameter', { message: 'A parameter is given more than once.' });
  return Object.fromEntries(
    parameters.map(([name, value]) => [name, /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value]),
  );
};

/** Returns the error of a request that violates the document: of its path, its query or its body. */
const problemOf = (found: readonly FieldError[]): ApiError => {
  const of = (place: string) => found.filter(({ field }) => field === place || field.startsWith(`${place}.`));
  const [parameter] = of('query');
  if (of('path').length > 0) return new ApiError('not_found');
  if (parameter) {
    const name = parameter.field.slice('query.'.length);
    return parameter.code === 'unknown_field'
      ? new ApiError('unknown_field', { message: `${name} is not a parameter of this operation.` })
      : new ApiError('invalid_parameter', { message: `${name}: ${parameter.message.replace(/^.*?: /, '')}` });
  }
  const errors = found.map(error => {
    const field = error.field.replace(/^requestBody\.?/, '');
    return { ...error, field, message: error.message.replace(error.field, field) };
  });
  return validationFailed(errors);
};
