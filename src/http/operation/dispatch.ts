import { type Context, OpenAPIBackend, type ParsedRequest } from 'openapi-backend';
import { ApiError, type FieldError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import type { Reply } from '../../core/reply.ts';
import { ajv } from '../../core/validator.ts';
import { toFieldErrors } from '../../core/violations.ts';
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
  /** @param findings what is wrong with the body by the document's schema */
  handle(admitted: Admitted): Promise<Reply>;
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

/** Leads requests to the operations of the document: openapi-backend calls the steps, and validates every JSON body. */
export const createDispatch = (document: ApiDocument, steps: Steps): Serve => {
  const find = createFinder(operationsOf(document));
  const [scheme = ''] = Object.keys(document.components?.securitySchemes ?? {});
  const handle = ({ security, request, validation }: Context, visit: Visit, match: Match): Promise<Reply> =>
    steps.handle({
      visit,
      match,
      principal: security[scheme],
      body: request.requestBody,
      findings: toFieldErrors(validation?.errors ?? [], '/requestBody'),
    });
  const api = new OpenAPIBackend({
    definition: document,
    strict: true,
    // Its own check of the document knows OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv,
    validate: (_, __, { operation }: Match) => takesJson(operation),
    securityHandlers: { [scheme]: (_, visit: Visit) => steps.identify(visit) },
    handlers: {
      ...Object.fromEntries(operationsOf(document).map(({ operationId }) => [operationId, handle])),
      validationFail: handle,
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
    const request: Incoming = { method, path, found, params: {}, query: {}, headers: {}, cookies: {}, requestBody: null };
    return api.handleRequest(request, visit, found);
  };
};
