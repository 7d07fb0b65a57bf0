import type { ErrorObject } from 'ajv';
import { type Document, type Handler, OpenAPIBackend, type ParsedRequest } from 'openapi-backend';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/object.ts';
import { type Schema, toStoredForm } from '../../core/stored-form.ts';
import { ajv } from '../../core/validator.ts';
import { createFinder, type Found, type Match, type Missing } from './match.ts';
import { type ApiDocument, type Operation, operationsOf } from './operation.ts';

/** What a request is routed by. */
export interface Target {
  readonly method: string;
  /** Relative to the root of the API, not decoded. */
  readonly path: string;
  /** The query parameters, as far as they are validated. */
  readonly query: Readonly<Record<string, string | number>>;
}

/** The result of admitting a request. */
interface Admission {
  /** Its JSON body; undefined if the operation takes none. */
  readonly value: JsonObject | undefined;
}

/** A request in the form that openapi-backend expects, already matched. */
interface Incoming<Admitted> extends ParsedRequest {
  readonly found: Found;
  admitted: Admitted | null;
}

/** A request whose principal may call its operation. */
export interface Routed<Request, Principal, Admitted> {
  readonly request: Request;
  readonly match: Match;
  readonly principal: Principal;
  readonly admitted: Admitted;
  /** What has been validated; the body is in stored form. */
  readonly parsed: ParsedRequest;
  /** Violations of the document; null: none. */
  readonly errors: readonly ErrorObject[] | null;
}

/** What an API does with a request, in this order; each step receives the results of those before it. */
export interface Service<Request, Principal, Admitted extends Admission, Handle, Result> {
  /** Returns whose token the request has; runs before 404 and 405 too. */
  authenticate(request: Request): Promise<Principal>;
  /** Returns the principal of a request without a token, for operations that require none. */
  anonymous(request: Request): Promise<Principal>;
  /** Checks that the principal may call the operation and reads the body. */
  admit(request: Request, match: Match, principal: Principal): Promise<Admitted>;
  /** Calls the operation's handler. */
  handle(routed: Routed<Request, Principal, Admitted>, handler: Handle): Promise<Result>;
}

/** What requests are routed to and validated by. */
export interface Routes<Handle> {
  readonly document: ApiDocument;
  /** The document, or the part of it that requests are validated by: openapi-backend keeps a copy of it without references. */
  readonly checked: Document;
  /** Returns whether the requests of an operation are validated. */
  validates(operation: Operation): boolean;
  /** By operationId. */
  readonly handlers: ReadonlyMap<string, Handle>;
}

/**
 * Returns a function that routes a request to the handler of its operation: openapi-backend calls the steps and validates. Violations do
 * not reject a request: the service does.
 * @throws (the returned function) ApiError not_found (404), method_not_allowed (405), and what the steps throw
 */
export const createRouter = <Request, Principal, Admitted extends Admission, Handle, Result>(
  { document, checked, validates, handlers }: Routes<Handle>,
  service: Service<Request, Principal, Admitted, Handle, Result>,
): ((request: Request, target: Target) => Promise<Result>) => {
  const find = createFinder(operationsOf(document));
  const [scheme = ''] = Object.keys(document.components?.securitySchemes ?? {});
  const registered = ([operationId, handler]: [string, Handle]): [string, Handler] => [
    operationId,
    ({ security, request: parsed, validation }, request: Request, match: Match) => {
      // Safe: handlers are called for admitted requests only.
      const admitted = (parsed as Incoming<Admitted>).admitted as Admitted;
      const errors = validation?.errors ?? null;
      return service.handle({ request, match, principal: security[scheme], admitted, parsed, errors }, handler);
    },
  ];
  const api = new OpenAPIBackend({
    definition: checked,
    strict: true,
    // Skips its validation of the document, which supports OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv,
    validate: (_, __, { operation }: Match) => validates(operation),
    securityHandlers: { [scheme]: (_, request: Request) => service.authenticate(request) },
  });
  // With `quick` and a document in memory, init() completes synchronously.
  void api.init();
  // Not with register(), which builds the list of all operations for each of them.
  api.handlers = {
    ...Object.fromEntries([...handlers].map(registered)),
    validationFail: (context, request: Request, match: Match) =>
      api.handlers[match.operation.operationId]?.(context, request, match),
    notFound: async (_, request: Request) => {
      await service.authenticate(request);
      throw new ApiError('not_found');
    },
    methodNotAllowed: async (_, request: Request, { allow }: Missing) => {
      await service.authenticate(request);
      throw new ApiError('method_not_allowed', { headers: { Allow: allow } });
    },
    unauthorizedHandler: ({ security }) => {
      throw security[scheme]?.error ?? new ApiError('missing_token');
    },
    postSecurityHandler: async ({ security, request: parsed }, request: Request, match: Match) => {
      if (!security.authorized && security[scheme]) return;
      if (!security[scheme] || 'error' in security[scheme]) security[scheme] = await service.anonymous(request);
      const admitted = await service.admit(request, match, security[scheme]);
      const { value } = admitted;
      (parsed as Incoming<Admitted>).admitted = admitted;
      parsed.requestBody = value && toStoredForm(bodySchemaOf(match.operation.operationId), value);
    },
  };
  const operations = new Map(api.getOperations().map(operation => [operation.operationId, operation]));
  const bodySchemaOf = (operationId: string): Schema => {
    const content = operations.get(operationId)?.requestBody;
    return (content && 'content' in content && (content.content['application/json']?.schema as Schema)) || {};
  };
  // openapi-backend's own router builds a list and regular expressions on each request (0.5 ms) and parses the request
  // again (0.07 ms).
  api.router.matchOperation = ({ found }: Incoming<Admitted>) => {
    const operation = found.operation && operations.get(found.operation.operationId);
    if (operation) return operation;
    throw new Error('allow' in found && found.allow !== '' ? '405' : '404');
  };
  api.router.parseRequest = (request: Incoming<Admitted>) => request;
  return (request, { method, path, query }) => {
    const found = find(method, path);
    const params = 'params' in found ? found.params : {};
    const parts = { method, path, params, query, headers: {}, cookies: {}, requestBody: undefined };
    const incoming = { ...parts, found, admitted: null } as unknown as Incoming<Admitted>;
    return api.handleRequest(incoming, request, found);
  };
};
