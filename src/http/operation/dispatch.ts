import { setImmediate } from 'node:timers/promises';
import { type Document, type Handler, OpenAPIBackend, type ParsedRequest } from 'openapi-backend';
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

/** Returns the part of a document that bodies are checked by: openapi-backend keeps a copy of it without references. */
const checkedPart = (document: ApiDocument): Document => {
  const { openapi, info, security: usual, components: { schemas, securitySchemes } = {} } = document;
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, operationId, requestBody, security } of operationsOf(document))
    paths[path] = { ...paths[path], [method]: { operationId, requestBody, security } };
  return { openapi, info, security: usual, components: { schemas, securitySchemes }, paths } as Document;
};

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
    definition: checkedPart(document),
    strict: true,
    // Skips its validation of the document, which supports OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv,
    validate: (_, __, { operation }: Match) => takesJson(operation),
    securityHandlers: { [scheme]: (_, request: TenantRequest) => steps.authenticate(request) },
  });
  // With `quick` and a document in memory, init() completes synchronously.
  void api.init();
  // Not with register(), which builds the list of all operations for each of them.
  api.handlers = {
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
  };
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
