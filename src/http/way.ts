import type { Logger } from 'pino';
import { createTenantFields } from '../attributes/tenant-fields.ts';
import type { RawContent } from '../core/call/call.ts';
import { defaultLimits, type Limits } from '../core/call/limits.ts';
import type { Reply } from '../core/call/reply.ts';
import { ApiError } from '../core/errors.ts';
import type { Principal, Tenant } from '../core/principal.ts';
import type { TenantDb } from '../db/database.ts';
import { documents } from './documents/documents.ts';
import { explorer } from './documents/explorer.ts';
import type { Pages } from './documents/pages.ts';
import { createTenantDocuments } from './documents/tenant-documents.ts';
import { type BodyLimits, readBody } from './operation/body.ts';
import { callOf } from './operation/call.ts';
import { createDispatch } from './operation/dispatch.ts';
import { createHandlers, type Parts } from './operation/handlers.ts';
import { type ApiDocument, operationsOf, takesJson, takesRawBody } from './operation/operation.ts';
import { requireFormat, requireModule, requireWriteAccess } from './operation/permission.ts';
import { withRawBody } from './operation/raw-body.ts';
import { readHost } from './request/host.ts';
import type { Proxies } from './request/proxy.ts';
import type { RateLimit } from './request/rate-limit.ts';
import type { Exchange, Serve, Visit } from './request/state.ts';
import { preflight } from './response/cors.ts';

/** What the way of a request needs from outside. */
export interface Surroundings extends Parts {
  /** The published OpenAPI document. */
  readonly document: ApiDocument;
  readonly log: Logger;
  readonly proxies: Proxies;
  /** The tenant of a host name in lower case without port; null: there is none. */
  readonly findTenant: (host: string) => Promise<Tenant | null>;
  /** Who asks, by a token for that tenant. @throws ApiError 401 */
  readonly verifyToken: (tenant: Tenant, token: string) => Promise<Principal>;
  readonly databaseOf: (tenant: Tenant, signal?: AbortSignal) => TenantDb;
  readonly limits: BodyLimits &
    Partial<Limits> & {
      /** Bytes of a request target. */
      readonly url: number;
    };
}

/** Where the way of a request leads. */
export interface Way {
  /** From a request to its reply, through what serves it. @throws ApiError, DatabaseError */
  respond(exchange: Exchange, serve: Serve): Promise<Reply>;
  /** Serves the operations of the document. */
  readonly operations: Serve;
  /** Serves what is not in it. */
  readonly pages: Pages;
}

/** The way of a request, in the order of its checks (contract, section 1): what is thrown first is what the client gets. */
export const createWay = (surroundings: Surroundings, rates: RateLimit): Way => {
  const { document, proxies, findTenant, verifyToken, databaseOf, resources, services, limits } = surroundings;
  const handlers = createHandlers(operationsOf(document), surroundings);
  const tenantFields = createTenantFields();
  const queryLimits = { ...defaultLimits, ...limits };

  const respond: Way['respond'] = async (exchange, serve) => {
    const { req, state } = exchange;
    const { wire, noted } = state;
    const target = req.url ?? '';
    if (!proxies.isSecure(req)) throw new ApiError('https_required', { headers: { Connection: 'close' } });
    if (target.length > limits.url)
      throw new ApiError('uri_too_long', { message: `The address is longer than ${limits.url} bytes.` });
    const host = readHost(req.rawHeaders, target || '/');
    const tenant = await findTenant(host.name);
    if (!tenant) throw new ApiError('tenant_not_found');
    noted.tenant = tenant;
    if (exchange.method === 'OPTIONS') return preflight(exchange);
    if (wire.problem) throw wire.problem;
    return serve({ exchange, wire, host, tenant });
  };

  const identify = async ({ exchange: { state }, wire, tenant }: Visit): Promise<Principal> => {
    try {
      if (wire.token === null) throw new ApiError('missing_token');
      state.noted.principal = await verifyToken(tenant, wire.token);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) await rates.countAddress(state);
      throw error;
    }
    await rates.countUser(state, state.noted.principal);
    return state.noted.principal;
  };

  const operations = createDispatch(document, handlers, {
    identify,

    async welcome({ exchange: { state }, tenant }) {
      await rates.countAddress(state);
      return { tenant, apiUser: { id: 0, name: 'anonymous', readOnly: true }, tokenId: '' };
    },

    async admit({ exchange: { req, state }, wire }, match, principal) {
      const { operation } = match;
      requireFormat(operation, wire.format);
      state.noted.match = match;
      requireModule(principal, operation['x-module'] ?? resources[operation['x-resource'] ?? '']?.module ?? null);
      requireWriteAccess(principal, wire.method);
      if (operation['x-withdrawn']) throw new ApiError('gone');
      return takesJson(operation) ? readBody(req, limits, operation.requestBody?.required) : {};
    },

    perform(admitted, handle) {
      const { exchange, tenant } = admitted.visit;
      const perform = async (content: RawContent | null): Promise<Reply> => {
        const call = callOf(admitted, { content, resources, limits: queryLimits });
        const db = databaseOf(tenant, exchange.state.gone);
        return tenantFields.run(db, (fields, db) => handle({ ...call, fields }, db));
      };
      return takesRawBody(admitted.match.operation)
        ? withRawBody(exchange.req, tenant.id, services.files, perform)
        : perform(null);
    },
  });

  const documentOf = createTenantDocuments(surroundings, tenantFields);
  const pages = { ...documents(document, rates, { identify, documentOf }), ...explorer(rates) };
  return { respond, operations, pages };
};
