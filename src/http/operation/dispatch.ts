import { setImmediate } from 'node:timers/promises';
import type { Document } from 'openapi-backend';
import { toFieldErrors } from '../../core/violations.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { Serve } from '../request/state.ts';
import { type ApiDocument, operationsOf, takesJson } from './operation.ts';
import { createRouter } from './router.ts';
import type { Steps } from './steps.ts';

/** Returns the part of a document that bodies are checked by. */
const checkedPart = (document: ApiDocument): Document => {
  const { openapi, info, security: usual, components: { schemas, securitySchemes } = {} } = document;
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, operationId, requestBody, security } of operationsOf(document))
    paths[path] = { ...paths[path], [method]: { operationId, requestBody, security } };
  return { openapi, info, security: usual, components: { schemas, securitySchemes }, paths } as Document;
};

const noQuery = {};

/** Routes requests to the handlers of operations, after the steps; every JSON body is validated. */
export const createDispatch = (document: ApiDocument, handlers: ReadonlyMap<string, Handle>, steps: Steps): Serve => {
  const routes = { document, checked: checkedPart(document), validates: takesJson, handlers };
  const route = createRouter(routes, {
    authenticate: steps.authenticate,
    anonymous: steps.anonymous,
    admit: steps.admit,
    // Schema violations are reported together with all other errors.
    async handle({ request, match, admitted, parsed, errors }, handle: Handle) {
      const { principal, caller, inexact } = admitted;
      // Each pass over a body with very many members takes long: other requests have their turn between this one and the next.
      if (errors) await setImmediate();
      const found = errors ? toFieldErrors(errors, '/requestBody') : [];
      const findings = [...found, ...inexact.filter(({ field }) => !found.some(other => other.field === field))];
      return steps.handle({ request, match, principal, caller, body: parsed.requestBody, findings }, handle);
    },
  });
  return request => route(request, { method: request.wire.method, path: request.wire.path, query: noQuery });
};
