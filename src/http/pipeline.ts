import type { Logger } from 'pino';
import { createTenantFields, type TenantFields } from '../attributes/tenant-fields.ts';
import type { Reply } from '../core/call/reply.ts';
import type { Principal } from '../core/principal.ts';
import { root } from '../core/root.ts';
import type { Handle } from '../engine/idempotency.ts';
import type { Services } from '../engine/services.ts';
import type { Callers } from '../tenancy/caller/callers.ts';
import {
  anonymous,
  type CallerNeeds,
  callerNeedsOf,
  callerOf,
  identify,
  readHost,
  requireFormat,
  requireHttps,
  requireInUse,
  requireModule,
  requireSandbox,
  requireScope,
  requireShort,
  requireStarted,
  requireValid,
  requireWriteAccess,
} from './checks.ts';
import { documents } from './documents/documents.ts';
import { explorer, hostPages } from './documents/explorer/explorer.ts';
import type { Pages } from './documents/pages.ts';
import { createTenantDocuments } from './documents/tenant-documents.ts';
import { type BodyLimits, noBody, readBody } from './operation/body.ts';
import { whenArrived } from './operation/confirmed.ts';
import { createDispatch } from './operation/dispatch.ts';
import { createHandlers, type HandlerDependencies } from './operation/handlers.ts';
import { deprecationHeaders, type Match } from './operation/match.ts';
import { operationsOf } from './operation/operation.ts';
import { requireMediaType } from './operation/raw-body.ts';
import { createRun, type RunDependencies } from './operation/run.ts';
import type { Admission, Steps } from './operation/steps.ts';
import type { Proxies } from './request/proxy.ts';
import type { RateLimit } from './request/rate-limit.ts';
import { type Exchange, forgetCaller, type Serve, type Stage, type TenantRequest } from './request/state.ts';
import { preflight } from './response/cors.ts';
import { errorCodeOf, replyToFailure } from './response/failures.ts';
import { type SendOptions, send } from './response/send.ts';

/** The dependencies of the request pipeline. */
export interface PipelineDependencies extends HandlerDependencies, RunDependencies, SendOptions {
  readonly services: Services;
  readonly log: Logger;
  readonly proxies: Proxies;
  /** Returns whether the start is complete: until then every response is 503; default: it is. */
  readonly ready?: () => boolean;
  readonly callers: Callers;
  readonly limits: RunDependencies['limits'] &
    BodyLimits & {
      /** Maximum length of a request target in bytes. */
      readonly url: number;
    };
}

/** Processes requests: from the request to its response. */
export interface Pipeline {
  /** Serves the operations of the OpenAPI document. */
  readonly operations: Stage;
  /** Serves the pages that are not part of that document, by absolute path. */
  readonly pages: Readonly<Record<string, Stage>>;
}

/**
 * Creates the request pipeline: the first check that fails is the response.
 * `createEntrance` and `createSteps` have the checks, one a line, in their order. See docs/decisions.md, "Order of checks".
 */
export const createPipeline = (dependencies: PipelineDependencies, rates: RateLimit): Pipeline => {
  const { document, resources } = dependencies;
  const tenantFields = createTenantFields(resources);
  const handlers = createHandlers(dependencies, tenantFields);
  const steps = createSteps(dependencies, rates, tenantFields);
  const dispatch = createDispatch({ document, handlers }, steps);
  const operations: Serve = request => dispatch(request, request.wire);

  const serving = createServing(dependencies, rates);
  const documentOf = createTenantDocuments(dependencies, tenantFields);
  const pages: Pages = {
    ...documents(document, rates, { authenticate: steps.authenticate, documentOf }),
    ...explorer(document, rates, operations),
  };
  const absolute = {
    ...Object.fromEntries(Object.entries(pages).map(([path, page]) => [`${root}${path}`, page])),
    ...hostPages(document, rates, operations),
  };
  const stages = Object.entries(absolute).map(([path, page]) => [path, serving(page)] as const);
  return { operations: serving(operations), pages: Object.fromEntries(stages) };
};

/** Returns a stage that checks a request, lets `serve` reply and sends the response. */
const createServing = (dependencies: PipelineDependencies, rates: RateLimit) => {
  const { log, spools, formats } = dependencies;
  const respond = createEntrance(dependencies);
  return (serve: Serve): Stage =>
    async exchange => {
      const { state } = exchange;
      const reply = await respond(exchange, serve).catch(error => replyToFailure(error, state, log));
      state.metadata.status = reply.status;
      state.metadata.code = reply.status >= 400 ? errorCodeOf(reply) : null;
      const { match } = state.metadata;
      const headers = {
        ...(match?.operation.deprecated && deprecationHeaders(match)),
        ...(await rates.headersFor(state, reply.status)),
      };
      await send(exchange, reply, headers, log, { spools, formats });
    };
};

/** Returns the checks of all requests before `serve`: without look-up, then those of the tenant. */
const createEntrance =
  ({ proxies, callers, limits, ready }: PipelineDependencies) =>
  async (exchange: Exchange, serve: Serve): Promise<Reply> => {
    const { req, state, method } = exchange;
    const { wire, metadata } = state;
    const target = req.url ?? '';
    requireHttps(proxies, req);
    requireStarted(ready);
    requireShort(target, limits.url);
    const host = readHost(req.headersDistinct.host ?? [], target || '/');
    const reads = wire.method === 'GET' || wire.method === 'HEAD';
    return callers.serve(
      { host: host.name, token: wire.token },
      reads,
      async identity => {
        const { tenant } = identity;
        metadata.tenant = tenant;
        if (method === 'OPTIONS') return preflight(exchange);
        requireValid(wire);
        return serve({ exchange, wire, host, tenant, identity });
      },
      () => forgetCaller(state),
    );
  };

/** Returns the checks of operations. A path or method that does not exist is rejected after the token. */
const createSteps = (
  dependencies: PipelineDependencies,
  rates: RateLimit,
  tenantFields: TenantFields,
): Steps<TenantRequest, Principal, Admission, Handle, Reply> => {
  const { document, resources, limits } = dependencies;
  const needs = new Map(operationsOf(document).map(operation => [operation, callerNeedsOf(operation, resources)]));
  const authenticate = async ({ exchange, identity }: TenantRequest): Promise<Principal> => {
    const principal = await identify(exchange.state, identity, rates);
    await rates.countUser(exchange, principal);
    return principal;
  };
  const permit = (principal: Principal, match: Match, { exchange: { state }, wire }: TenantRequest): void => {
    const { operation } = match;
    const needed = needs.get(operation) as CallerNeeds;
    requireFormat(operation, wire.format);
    state.metadata.match = match;
    requireModule(principal, needed);
    requireSandbox(principal, operation);
    requireScope(principal, needed);
    requireWriteAccess(principal, needed, wire.method);
  };
  return {
    authenticate,
    anonymous: request => anonymous(request, rates),
    async admit(request, match, principal) {
      const { operation } = match;
      const { req } = request.exchange;
      permit(principal, match, request);
      requireInUse(operation);
      const caller = callerOf(request, rates, principal => permit(principal, match, request));
      if (operation.takes === 'json')
        return whenArrived(readBody(req, limits, operation.requestBody?.required), caller);
      if (operation.takes === 'bytes') requireMediaType(operation, req);
      return { ...noBody, principal, caller };
    },
    // The parameters, the record, If-Match and the body's values.
    handle: createRun(dependencies, tenantFields),
  };
};
