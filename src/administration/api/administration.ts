import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Reply } from '../../core/call/reply.ts';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/object.ts';
import type { InternalRequest, InternalResponse, InternalRoute } from '../../http/connection/internal/route.ts';
import { createDispatch } from '../../http/operation/dispatch.ts';
import type { ApiDocument } from '../../http/operation/operation.ts';
import { normalize } from '../../http/request/proxy.ts';
import { parseQueryString } from '../../http/request/query-string.ts';
import { requestIdOf } from '../../http/request/receive.ts';
import { failureReply } from '../../http/response/failures.ts';
import { securityHeaders } from '../../http/response/security-headers.ts';
import { InputError } from '../../tenancy/names.ts';
import { automationHandlers } from '../acts/automations.ts';
import { fieldHandlers, type MembersOf } from '../acts/fields.ts';
import { logHandlers } from '../acts/logs.ts';
import type { AdministrationParts } from '../acts/parts.ts';
import { tenantHandlers } from '../acts/tenants.ts';
import { userHandlers } from '../acts/users.ts';
import { administrationPath } from '../channel.ts';
import { servePage } from '../page.ts';
import { createAdmission } from './admission.ts';
import type { AdministrationHandlers } from './handler.ts';
import { countRequests, defaultRequestLimits, type RequestLimits } from './limits.ts';
import { type AnyHandler, createSteps } from './steps.ts';

/** What the administration API needs. */
export interface AdministrationOptions extends AdministrationParts {
  readonly log: Logger;
  /** Returns whether the start is complete. */
  readonly ready: () => boolean;
  /** The certificate of the internal port; null: it has none. */
  readonly certificate: string | null;
  readonly limits?: RequestLimits;
}

const document: ApiDocument = JSON.parse(
  readFileSync(new URL('../../../generated/administration.json', import.meta.url), 'utf8'),
);

/** The members of the document's schemas. */
const membersOf: MembersOf = name =>
  Object.keys((document.components?.schemas?.[name] as { readonly properties?: object })?.properties ?? {});

const headers = securityHeaders({ crossOriginResourcePolicy: { policy: 'same-origin' } });

/** Returns what serves the administration API and its page on the internal port. */
export const createAdministration = (options: AdministrationOptions): InternalRoute => {
  const { database, log, ready, certificate, limits = defaultRequestLimits } = options;
  const admit = createAdmission(certificate === null ? null : new X509Certificate(certificate));
  const counts = countRequests(limits);

  const handlers: AdministrationHandlers = {
    ...tenantHandlers(options),
    ...userHandlers(options),
    ...fieldHandlers(options, membersOf),
    ...automationHandlers(options, membersOf),
    ...logHandlers(options),
  };
  const byId = new Map(Object.entries(handlers) as unknown as readonly [string, AnyHandler][]);
  const dispatch = createDispatch(
    { document, handlers: byId, checksParameters: true },
    createSteps(database, counts, statusOfFailure),
  );

  const serveApi = async (sent: InternalRequest, requestId: string): Promise<InternalResponse> => {
    const address = normalize(sent.address);
    await counts.countRequest(address);
    if (!ready()) throw new ApiError('service_unavailable', { message: 'The service is starting.' });
    const query = queryOf(sent.target.slice(sent.path.length + 1));
    const target = { method: sent.method, path: sent.path.slice(administrationPath.length), query };
    const { status, value } = await dispatch({ sent, address, requestId, query }, target);
    return { status, headers, body: value };
  };

  return async sent => {
    const requestId = requestIdOf(sent.headers['x-request-id']);
    try {
      admit(sent);
      const isApi = sent.path.startsWith(`${administrationPath}/`);
      if (sent.path === `${administrationPath}/openapi.json`) return { status: 200, headers, body: document };
      const response = isApi ? await serveApi(sent, requestId) : servePage(sent);
      return { ...response, headers: { ...response.headers, 'x-request-id': requestId } };
    } catch (error) {
      const { status, headers: own, body } = failureReply(failureOf(error), { requestId, trace: null }, log);
      return { status, headers: { ...headers, ...own, 'x-request-id': requestId }, body: problemOf(body) };
    }
  };
};

/** Returns the body of a failure without the URL of its code, which only the port of the API serves. */
const problemOf = (body: Reply['body']): unknown => {
  if (body?.kind !== 'value') return undefined;
  const { documentation_url: _, ...problem } = body.value as JsonObject;
  return problem;
};

/** Returns the error with which a request is rejected; what is not the client's is an internal error. */
const failureOf = (error: unknown): unknown =>
  error instanceof InputError ? new ApiError('validation_failed', { message: error.message }) : error;

const statusOfFailure = (error: unknown): number => {
  const failure = failureOf(error);
  return failure instanceof ApiError ? failure.status : 500;
};

/** Returns the query parameters by name. Whole numbers are numbers. @throws ApiError 400 */
const queryOf = (query: string): Record<string, string | number> => {
  const parameters = parseQueryString(query);
  if (!parameters)
    throw new ApiError('invalid_parameter', { message: 'The query string is not percent-encoded UTF-8.' });
  const names = new Set(parameters.map(([name]) => name));
  if (names.size < parameters.length)
    throw new ApiError('invalid_parameter', { message: 'A parameter is given more than once.' });
  return Object.fromEntries(parameters.map(([name, value]) => [name, isWhole(value) ? Number(value) : value]));
};

const isWhole = (text: string): boolean => /^(?:0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));
