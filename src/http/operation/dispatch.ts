import { setImmediate } from 'node:timers/promises';
import { type Handler, OpenAPIBackend, type ParsedRequest } from 'openapi-backend';
import { ApiError, type FieldError } from '../../core/errors.ts';
import { type Schema, toStoredForm } from '../../core/stored-form.ts';
import { ajv } from '../../core/validator.ts';
import { toFieldErrors } from '../../core/violations.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { Serve, TenantRequest } from '../request/state.ts';
import { createFinder, type Found, type Match, type Missing } from './match.ts';
import { type ApiDocument, operationsOf, takesJson } from './operation.ts';
import type { Steps } from './steps.ts';

/** A request in the form that openapi-backend expects, already matched. */
interface Incoming extends ParsedRequest {
  readonly found: Found;
  /** What is wrong with the numbers of its body. */
  inexact: readonly FieldError[];
}

/** Routes requests to the handlers of operations: openapi-backend calls the steps and validates every JSON body. */
export const createDispatch = (document: ApiDocument, handlers: ReadonlyMap<string, Handle>, steps: Steps): Serve => {
  const find = createFinder(operationsOf(document));
  const [scheme = ''] = Object.keys(document.components?.securitySchemes ?? {});
  const registered = ([operationId, handle]: [string, Handle]): [string, Handler] => [
    operationId,
    async ({ security, request: parsed, validation }, request: TenantRequest, match: Match) => {
      // Each pass over a body with very many members takes long: other requests have their turn between this one and the next.
      if (validation?.errors) await setImmediate();
      const { requestBody: body, inexact } = parsed as Incoming;
      const found = validation?.errors ? toFieldErrors(validation.errors, '/requestBody') : [];
      const findings = [...found, ...inexact.filter(({ field }) => !found.some(other => other.field === field))];
      return steps.handle({ request, match, principal: security[scheme], body, findings }, handle);
    },
  ];
  const api = new OpenAPIBackend({
    definition: document,
    strict: true,
    // Skips its validation of the document, which supports OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv,
    validate: (_, __, { operation }: Match) => takesJson(operation),
    securityHandlers: { [scheme]: (_, request: TenantRequest) => steps.authenticate(request) },
  });
  // Before init(), which would build the list of all operations for each of them.
  api.register({
    ...Object.fromEntries([...handlers].map(registered)),
    // Schema violations are reported together with all other errors.
    validationFail: (context, request: TenantRequest, match: Match) =>
      api.handlers[match.operation.operationId]?.(context, request, match),
    notFound: async (_, request: TenantRequest) => {
      await steps.authenticate(request);
      throw new ApiError('not_found');
    },
    methodNotAllowed: async (_, request: TenantRequest, { allow }: Missing) => {
      await steps.authenticate(request);
      throw new ApiError('method_not_allowed', { headers: { Allow: allow } });
    },
    unauthorizedHandler: ({ security }) => {
      throw security[scheme]?.error ?? new ApiError('missing_token');
    },
    postSecurityHandler: async ({ security, request: parsed }, request: TenantRequest, match: Match) => {
      if (!security.authorized && security[scheme]) return;
      if (!security[scheme]?.apiUser) security[scheme] = await steps.anonymous(request);
      const { value, inexact } = await steps.admit(request, match, security[scheme]);
      parsed.requestBody = toStoredForm(bodySchemaOf(match.operation.operationId), value);
      (parsed as Incoming).inexact = inexact;
    },
  });
  // With `quick` and a document in memory, init() completes synchronously.
  void api.init();
  const operations = new Map(api.getOperations().map(operation => [operation.operationId, operation]));
  const bodySchemaOf = (operationId: string): Schema => {
    const content = operations.get(operationId)?.requestBody;
    return (content && 'content' in content && (content.content['application/json']?.schema as Schema)) || {};
  };
  // openapi-backend's own router builds a list and regular expressions on each request (0.5 ms) and parses the request
  // again (0.07 ms).
  api.router.matchOperation = ({ found }: Incoming) => {
    const operation = found.operation && operations.get(found.operation.operationId);
    if (operation) return operation;
    throw new Error('allow' in found && found.allow !== '' ? '405' : '404');
  };
  api.router.parseRequest = (request: Incoming) => request;
  return request => {
    const { method, path } = request.wire;
    const found = find(method, path);
    const params = 'params' in found ? found.params : {};
    const incoming: Incoming = {
      method,
      path,
      found,
      params,
      query: {},
      headers: {},
      cookies: {},
      requestBody: null,
      inexact: [],
    };
    return api.handleRequest(incoming, request, found);
  };
};
