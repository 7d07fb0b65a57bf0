import type { Logger } from 'pino';
import { createTenantFields, type Seen } from '../attributes/tenant-fields.ts';
import type { RawContent } from '../core/call/call.ts';
import { defaultLimits, type Limits } from '../core/call/limits.ts';
import type { Reply } from '../core/call/reply.ts';
import { ApiError } from '../core/errors.ts';
import type { Host } from '../core/host.ts';
import type { Origin } from '../core/origin.ts';
import type { Caller, Principal, Tenant } from '../core/principal.ts';
import { unrestricted } from '../core/resource/access.ts';
import { fieldsFor } from '../core/resource/view.ts';
import { root } from '../core/root.ts';
import type { TenantDb } from '../db/database.ts';
import type { Services } from '../engine/services.ts';
import type { Callers, Identity } from '../tenancy/caller/callers.ts';
import { documents } from './documents/documents.ts';
import { explorer, toExplorer } from './documents/explorer/explorer.ts';
import type { Pages } from './documents/pages.ts';
import { createTenantDocuments } from './documents/tenant-documents.ts';
import { type BodyLimits, noBody, readBody } from './operation/body.ts';
import { callOf } from './operation/call.ts';
import { createReadConfirmed, whenArrived } from './operation/confirmed.ts';
import { deprecationHeaders } from './operation/deprecation.ts';
import { createDispatch } from './operation/dispatch.ts';
import { createHandlers, type HandlerDependencies } from './operation/handlers.ts';
import type { Match } from './operation/match.ts';
import { operationsOf, takesJson, takesRawBody } from './operation/operation.ts';
import {
  requireFormat,
  requireModule,
  requireSandbox,
  requireScope,
  requireWriteAccess,
} from './operation/permission.ts';
import { createPut } from './operation/put.ts';
import { requireMediaType, withRawBody } from './operation/raw-body.ts';
import { createRepeats, type RepeatOptions } from './operation/repeats.ts';
import { readHost } from './request/host.ts';
import type { Proxies } from './request/proxy.ts';
import type { RateLimit } from './request/rate-limit.ts';
import {
  type Exchange,
  forgetCaller,
  type Serve,
  type Stage,
  type State,
  type TenantRequest,
} from './request/state.ts';
import { preflight } from './response/cors.ts';
import { errorCodeOf, replyToFailure } from './response/failures.ts';
import { type SendOptions, send } from './response/send.ts';

/** The dependencies of the request pipeline. */
export interface PipelineDependencies extends Omit<HandlerDependencies, 'services'>, SendOptions {
  readonly services: Services;
  readonly log: Logger;
  readonly proxies: Proxies;
  /** Returns whether the start is complete: until then every response is 503; default: it is. */
  readonly ready?: () => boolean;
  readonly callers: Callers;
  readonly databaseOf: (tenant: Tenant, signal?: AbortSignal, origin?: Origin) => TenantDb;
  /** How replies are kept for repetitions of their requests; default: none is. */
  readonly repeats?: RepeatOptions;
  readonly limits: BodyLimits &
    Partial<Limits> & {
      /** Maximum length of a request target in bytes. */
      readonly url: number;
      /** Maximum number of bytes of an import after decompression; default: 1 GiB. */
      readonly imports?: number;
    };
}

const importLimit = 1_073_741_824;

/** Processes requests: from the request to its response. */
export interface Pipeline {
  /** Serves the operations of the OpenAPI document. */
  readonly operations: Stage;
  /** Serves the pages that are not part of that document, by absolute path. */
  readonly pages: Readonly<Record<string, Stage>>;
}

/**
 * Creates the request pipeline; the first failing check is the response. See docs/decisions.md, "Order of checks".
 */
export const createPipeline = (dependencies: PipelineDependencies, rates: RateLimit): Pipeline => {
  const { document, log, proxies, callers, databaseOf, resources, services, limits } = dependencies;
  const { spools, formats, ready = () => true } = dependencies;
  const tenantFields = createTenantFields(resources);
  const put = createPut(document, dependencies);
  const readConfirmed = createReadConfirmed(tenantFields, resources);
  const own = { ...dependencies, services: { ...services, put, readConfirmed } };
  const handlers = createHandlers(operationsOf(document), own);
  const queryLimits = { ...defaultLimits, ...limits };
  const repeats = createRepeats(dependencies.repeats ?? null, formats);
  const imports = services.files.limitedTo(limits.imports ?? importLimit);

  const serving =
    (serve: Serve): Stage =>
    async exchange => {
      const { state } = exchange;
      const reply = await respond(exchange, serve).catch(error => replyToFailure(error, state, log));
      state.metadata.status = reply.status;
      state.metadata.code = errorCodeOf(reply);
      const { match } = state.metadata;
      const headers = { ...(match && deprecationHeaders(match)), ...(await rates.headersFor(state, reply.status)) };
      await send(exchange, reply, headers, log, { spools, formats });
    };

  /** Checks what takes no look-up, then serves the caller. @throws ApiError, DatabaseError */
  const respond = async (exchange: Exchange, serve: Serve): Promise<Reply> => {
    const { req, state } = exchange;
    const { method } = state.wire;
    const target = req.url ?? '';
    if (!proxies.isSecure(req)) throw new ApiError('https_required', { headers: { Connection: 'close' } });
    if (!ready()) throw new ApiError('service_unavailable', { message: 'The service is starting.' });
    if (target.length > limits.url)
      throw new ApiError('uri_too_long', { message: `The URL is longer than ${limits.url} bytes.` });
    const host = readHost(req.rawHeaders, target || '/');
    const reads = method === 'GET' || method === 'HEAD';
    return callers.serve(
      { host: host.name, token: state.wire.token },
      reads,
      identity => respondTo(exchange, serve, host, identity),
      () => forgetCaller(state),
    );
  };

  /** Lets `serve` create the reply to a caller. @throws ApiError, DatabaseError */
  const respondTo = async (exchange: Exchange, serve: Serve, host: Host, identity: Identity): Promise<Reply> => {
    const { wire, metadata } = exchange.state;
    const { tenant } = identity;
    metadata.tenant = tenant;
    if (exchange.method === 'OPTIONS') return preflight(exchange);
    if (wire.problem) throw wire.problem;
    return serve({ exchange, wire, host, tenant, identity });
  };

  const identify = async (state: State, identity: Identity): Promise<Principal> => {
    try {
      const principal = identity.authenticate();
      state.metadata.principal = principal;
      return principal;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) await rates.countAddress(state);
      throw error;
    }
  };

  const authenticate = async ({ exchange, identity }: TenantRequest): Promise<Principal> => {
    const principal = await identify(exchange.state, identity);
    await rates.countUser(exchange, principal);
    return principal;
  };

  /** Checks that the operation has the format, and that the principal may call it. @throws ApiError 404, 403, 405 */
  const permit = (principal: Principal, match: Match, { exchange: { state }, wire }: TenantRequest): void => {
    const { operation } = match;
    requireFormat(operation, wire.format);
    state.metadata.match = match;
    const resource = resources[operation.resource ?? ''];
    requireModule(principal, operation.module ?? resource?.module ?? null);
    requireSandbox(principal, operation);
    requireScope(principal, operation, resource);
    requireWriteAccess(principal, operation, wire.method, resource);
  };

  const callerOf = (request: TenantRequest, match: Match): Caller => {
    const { exchange, identity } = request;
    const findAgain = async (): Promise<Principal> => {
      const again = await identity.again();
      exchange.state.metadata.tenant = again.tenant;
      return identify(exchange.state, again);
    };
    return {
      async confirm() {
        const principal = await findAgain().catch((error: unknown) => {
          forgetCaller(exchange.state);
          throw error;
        });
        permit(principal, match, request);
        return principal;
      },
    };
  };

  const dispatch = createDispatch(
    { document, handlers },
    {
      authenticate,

      async anonymous({ exchange: { state }, tenant }) {
        await rates.countAddress(state);
        return { tenant, apiUser: { id: 0, name: 'anonymous', readOnly: true, ...unrestricted }, tokenId: '' };
      },

      async admit(request, match, principal) {
        const { operation } = match;
        const { req } = request.exchange;
        permit(principal, match, request);
        if (operation.withdrawn) throw new ApiError('gone');
        const caller = callerOf(request, match);
        if (takesJson(operation)) return whenArrived(readBody(req, limits, operation.requestBody?.required), caller);
        if (takesRawBody(operation)) requireMediaType(operation, req);
        return { ...noBody, principal, caller };
      },

      handle(admitted, handler) {
        const { exchange, tenant, identity } = admitted.request;
        const run = async (principal: Principal, content: RawContent | null, seen?: Seen): Promise<Reply> => {
          const call = callOf({ ...admitted, principal }, { content, resources, limits: queryLimits });
          const { signal, requestId } = exchange.state;
          const by = { type: 'api_user', id: principal.apiUser.id } as const;
          const db = identity.confirming(databaseOf(principal.tenant, signal, { by, requestId }));
          const reply = await tenantFields.run(
            db,
            (fields, db) => handler({ ...call, fields: fieldsFor(fields, principal.apiUser, resources) }, db),
            seen,
          );
          await reply.followUp?.();
          return reply;
        };
        const { match, principal, caller } = admitted;
        if (!takesRawBody(match.operation)) return repeats.serve(admitted, seen => run(principal, null, seen));
        const intake = match.operation.verb === 'import' ? imports : services.files;
        return withRawBody(exchange.req, tenant.id, intake, async content => run(await caller.confirm(), content));
      },
    },
  );

  const operations: Serve = request => dispatch(request, request.wire);
  const documentOf = createTenantDocuments(dependencies, tenantFields);
  const pages: Pages = {
    ...documents(document, rates, { authenticate, documentOf }),
    ...explorer(document, rates, operations),
  };
  const stages = Object.entries(pages).map(([path, page]) => [`${root}${path}`, serving(page)] as const);
  const entrance = serving(toExplorer(rates, operations));
  return { operations: serving(operations), pages: { ...Object.fromEntries(stages), '/': entrance } };
};
