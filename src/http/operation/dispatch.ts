import { type Handler, OpenAPIBackend, type ParsedRequest } from 'openapi-backend';
import { ApiError, type FieldError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import type { Reply } from '../../core/reply.ts';
import { ajv } from '../../core/validator.ts';
import { toFieldErrors } from '../../core/violations.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { Serve, Visit } from '../request/state.ts';
import type { JsonObject } from './body.ts';
import { createFinder, type Found, type Match, type Missing } from './match.ts';
import { type ApiDocument, operationsOf, takesJson } from './operation.ts';

/** What is done with a request, in this order; each step takes what those before it have given. */
export interface Steps {
  /** Who asks; before 404 and 405 too. @throws ApiError 401, 429 */
  identify(visit: Visit): Promise<Principal>;
  /** Whoever asks without a token, where the document asks for none. @throws ApiError 429 */
  welcome(visit: Visit): Promise<Principal>;
  /** The JSON body of a request that may call its operation. @throws ApiError 403, 405, 410, 415, 413, 400 */
  admit(visit: Visit, match: Match, principal: Principal): Promise<JsonObject>;
  /** @throws ApiError 400, 404, 409, 410, 412, 422 */
  perform(admitted: Admitted, handle: Handle): Promise<Reply>;
}

/** A request that may call its operation. */
export interface Admitted {
  readonly visit: Visit;
  readonly match: Match;
  readonly principal: Principal;
  readonly body: JsonObject;
  /** What is wrong with the body by the document's schema. */
  readonly findings: readonly FieldError[];
}

/** A request as openapi-backend takes it, matched already. */
interface Incoming extends ParsedRequest {
  readonly found: Found;
}

/** Leads requests to the handlers of operations: openapi-backend calls the steps, and validates every JSON body. */
export const createDispatch = (document: ApiDocument, handlers: ReadonlyMap<string, Handle>, steps: Steps): Serve => {
  const find = createFinder(operationsOf(document));
  const [scheme = ''] = Object.keys(document.components?.securitySchemes ?? {});
  const registered = ([operationId, handle]: [string, Handle]): [string, Handler] => [
    operationId,
    ({ security, request, validation }, visit: Visit, match: Match) => {
      const findings = toFieldErrors(validation?.errors ?? [], '/requestBody');
      return steps.perform({ visit, match, principal: security[scheme], body: request.requestBody, findings }, handle);
    },
  ];
  const api = new OpenAPIBackend({
    definition: document,
    strict: true,
    // Its own check of the document knows OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv,
    validate: (_, __, { operation }: Match) => takesJson(operation),
    securityHandlers: { [scheme]: (_, visit: Visit) => steps.identify(visit) },
    handlers: {
      ...Object.fromEntries([...handlers].map(registered)),
      // What is wrong with the body is told with all else that is.
      validationFail: (context, visit: Visit, match: Match) =>
        api.handlers[match.operation.operationId]?.(context, visit, match),
      notFound: async (_, visit: Visit) => {
        await steps.identify(visit);
        throw new ApiError('not_found');
      },
      methodNotAllowed: async (_, visit: Visit, { allow }: Missing) => {
        await steps.identify(visit);
        throw new ApiError('method_not_allowed', { headers: { Allow: allow } });
      },
      unauthorizedHandler: ({ security }) => {
        throw security[scheme].error;
      },
      postSecurityHandler: async ({ security, request }, visit: Visit, match: Match) => {
        if (!security.authorized) return;
        security[scheme] ??= await steps.welcome(visit);
        request.requestBody = await steps.admit(visit, match, security[scheme]);
      },
    },
  });
  // Nothing is awaited in quick mode: the document is an object.
  void api.init();
  const operations = new Map(api.getOperations().map(operation => [operation.operationId, operation]));
  // Its own matches by a list and regular expressions built on each request (0.5 ms), and parses path, query and headers (0.07 ms).
  api.router.matchOperation = ({ found }: Incoming) => {
    const operation = found.operation && operations.get(found.operation.operationId);
    if (operation) return operation;
    throw new Error('allow' in found && found.allow !== '' ? '405' : '404');
  };
  api.router.parseRequest = (request: Incoming) => request;
  return visit => {
    const { method, path } = visit.wire;
    const found = find(method, path);
    const params = 'params' in found ? found.params : {};
    const request: Incoming = { method, path, found, params, query: {}, headers: {}, cookies: {}, requestBody: null };
    return api.handleRequest(request, visit, found);
  };
};
