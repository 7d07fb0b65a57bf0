import { ApiError, type FieldError, validationFailed } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/object.ts';
import type { Tenant } from '../../core/principal.ts';
import { toFieldErrors } from '../../core/violations.ts';
import { type ApiDocument, type Operation, takesJson } from '../../http/operation/operation.ts';
import { createRouter } from '../../http/operation/router.ts';
import { parseQueryString } from '../../http/request/query-string.ts';
import type { Administrator } from '../../tenancy/administrators.ts';
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
  /** Returns the tenant with that slug. @throws ApiError 404: none, or not the administrator's */
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

/**
 * Routes requests to the handlers of operations, after the steps; parameters and bodies are validated.
 * @throws (the returned function) ApiError 400, 401, 403, 404, 405, 415, 422, 429
 */
export const createDispatch = <Request extends Asked>(
  document: ApiDocument,
  handlers: AdministrationHandlers,
  steps: Steps<Request>,
): ((request: Request) => Promise<Outcome>) => {
  const byId = new Map(Object.entries(handlers) as unknown as readonly [OperationId, AnyHandler][]);
  const routes = { document, checked: document, validates: () => true, handlers: byId };
  const route = createRouter(routes, {
    authenticate: (request: Request) => steps.authenticate(request),
    // Every operation requires a token.
    anonymous: () => Promise.reject(new ApiError('missing_token')),
    async admit(request, { operation, params }, administrator) {
      const tenant = params.tenant === undefined ? null : await steps.findTenant(String(params.tenant), administrator);
      const body = await steps.readBody(request, operation);
      return { tenant, value: takesJson(operation) ? body : undefined };
    },
    async handle(
      { request, match: { operation }, principal, admitted: { tenant }, parsed, errors },
      handle,
    ): Promise<Outcome> {
      if (errors) throw problemOf(toFieldErrors(errors));
      const { params, query, requestBody: body } = parsed;
      // Safe: the document, from which the types are made, has been checked.
      const call = {
        administrator: principal,
        tenant,
        params,
        query,
        body,
        requestId: request.requestId,
      } as unknown as AdministrationCall<OperationId>;
      const value = await steps.handle(request, { operation, call }, () => handle(call));
      return { status: statusOf(operation), value };
    },
  });
  return async request => route(request, { method: request.method, path: request.path, query: queryOf(request.query) });
};

type AnyHandler = (call: AdministrationCall<OperationId>) => Promise<unknown>;

/** Returns the status with which the operation succeeds. */
export const statusOf = ({ responses = {} }: Operation): number =>
  Number(Object.keys(responses).find(status => status < '300'));

/** Returns the query parameters by name. Whole numbers are numbers. @throws ApiError 400 */
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
