import { type Document, OpenAPIBackend, type Request } from 'openapi-backend';
import type { TenantFields } from '../../attributes/tenant-fields.ts';
import type { Call } from '../../core/call.ts';
import { ApiError, validationFailed } from '../../core/errors.ts';
import { defaultLimits, type Limits } from '../../core/limits.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { Reply } from '../../core/reply.ts';
import type { Resource } from '../../core/resource.ts';
import { isOn } from '../../core/switch.ts';
import { ajv } from '../../core/validator.ts';
import type { TenantDb } from '../../db/database.ts';
import { DatabaseError } from '../../db/errors.ts';
import { rehearse } from '../../db/rehearsal.ts';
import type { AnyAction } from '../../engine/action.ts';
import { once } from '../../engine/idempotency.ts';
import type { Services } from '../../engine/services.ts';
import type { Verbs } from '../../engine/verb.ts';
import { root } from '../request/negotiate.ts';
import type { Exchange, Stage } from '../request/state.ts';
import { etagOfBody } from '../response/render.ts';
import { anonymous } from './anonymous.ts';
import { type BodyLimits, readBody } from './body.ts';
import { checkDeprecation, deprecationHeaders } from './deprecation.ts';
import { bodyErrors, handlerOf, parameterCheck, requireRecord } from './handlers.ts';
import { createMatcher, type Match } from './match.ts';
import { locate } from './nested.ts';
import { headerNames, isOpen, type Operation, queryNames, takesRawBody } from './operation.ts';
import { requireFormat, requireModule, requireWriteAccess } from './permission.ts';
import { receiveRaw } from './raw-body.ts';

export interface Operations {
  /** The published OpenAPI document. */
  readonly document: object;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly verbs: Verbs;
  /** Handlers of all other operations, by operationId. */
  readonly actions: Readonly<Record<string, AnyAction>>;
  readonly databaseOf: (tenant: Tenant, signal?: AbortSignal) => TenantDb;
  readonly services: Services;
  readonly limits: BodyLimits & Partial<Limits>;
}

/** A request as openapi-backend takes it, with the operation that the matcher has found already. */
interface MatchedRequest extends Request {
  readonly operation: Operation;
}

/** From the authenticated request to its operation's Reply: match, permission, body, validation, handler. */
export const dispatch = (options: Operations, tenantFields: TenantFields): Stage => {
  const { resources, services, limits, databaseOf } = options;
  const queryLimits = { ...defaultLimits, ...limits };
  const api = createApi(options);
  const operations = operationsOf(api);
  const match = createMatcher(operations);
  const parameterChecks = new Map(operations.map(operation => [operation.operationId, parameterCheck(operation)]));
  return async ctx => {
    const { wire } = ctx.state;
    const matched = match(wire.method, wire.path);
    const { operation, params } = matched;
    requireFormat(operation, wire.format);
    const principal = principalOf(ctx, operation);
    ctx.state.operation = operation.operationId;
    ctx.set(deprecationHeaders(operation, params));
    requireModule(principal, operation['x-module'] ?? resources[operation['x-resource'] ?? '']?.module ?? null);
    requireWriteAccess(principal, wire.method);
    if (operation['x-withdrawn']) throw new ApiError('gone');
    const { requestBody } = operation;
    const raw = takesRawBody(operation) ? await receiveRaw(ctx.req, principal.tenant.id, services.files) : null;
    try {
      const body = requestBody && !raw ? await readBody(ctx.req, limits, requestBody.required) : {};
      const call = callOf(ctx, matched, {
        principal,
        resources,
        body,
        content: raw?.content ?? null,
        limits: queryLimits,
      });
      parameterChecks.get(call.operation)?.(call);
      const request: MatchedRequest = {
        method: operation.method,
        path: wire.path,
        headers: {},
        query: {},
        body,
        operation,
      };
      ctx.state.reply = await tenantFields.run(databaseOf(principal.tenant, ctx.state.gone), (fields, db) =>
        api.handleRequest(request, { ...call, fields }, db),
      );
    } catch (error) {
      if (!isUncertain(error)) await raw?.settle(false);
      throw error;
    }
    await raw?.settle(true);
  };
};

/** The transaction may have been committed: the sweeper will know. */
const isUncertain = (error: unknown): boolean => error instanceof DatabaseError && error.kind === 'unavailable';

const principalOf = ({ state }: Exchange, operation: Operation): Principal => {
  const { principal, tenant } = state;
  if (principal) return principal;
  if (!tenant || !isOpen(operation)) throw new Error('Dispatch comes after authentication.');
  return anonymous(tenant);
};

const callOf = (
  { state, headers }: Exchange,
  match: Match,
  rest: Pick<Call, 'principal' | 'resources' | 'body' | 'content' | 'limits'>,
): Omit<Call, 'fields'> => ({
  ...rest,
  ...locate(match, root, state.wire.parameters, rest.body),
  operation: match.operation.operationId,
  alias: match.operation['x-alias'] ?? null,
  params: match.params,
  self: state.wire.self,
  tag: body => etagOfBody(body, state.wire.format, rest.principal.tenant.id),
  headers: {
    ifMatch: headers['if-match'] ?? null,
    idempotencyKey: headers['idempotency-key']?.toString() ?? null,
    declared: Object.fromEntries(
      headerNames(match.operation).flatMap(name =>
        headers[name] === undefined ? [] : [[name, String(headers[name])]],
      ),
    ),
  },
});

const operationsOf = (api: OpenAPIBackend): readonly Operation[] =>
  api.getOperations() as unknown as readonly Operation[];

/** The parameter that an operation declares if it can be tried out: it then answers as ever, and nothing is stored. */
const rehearsal = 'dry_run';

type Handler = (context: unknown, call: Call, db: TenantDb) => Promise<Reply>;

/** openapi-backend over the document: it validates the bodies of actions and calls the handlers. */
const createApi = ({ document, resources, verbs, actions, services }: Operations): OpenAPIBackend => {
  const api = new OpenAPIBackend({
    definition: structuredClone(document) as Document,
    // Its own check of the document knows OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv as never,
    // The engine validates the five verbs against the resource table; of raw bodies the document says nothing.
    validate: ({ operation }) => {
      const own = operation as unknown as Operation;
      return own['x-verb'] === undefined && !takesRawBody(own);
    },
  });
  // Nothing is awaited in quick mode: the document is an object.
  void api.init();
  const router = api.router as { matchOperation: unknown };
  // Its own would build a list and a regular expression for each operation on every request.
  router.matchOperation = (request: MatchedRequest): Operation => request.operation;
  const handlers = new Map<string, Handler>();
  api.register('validationFail', async (context, call: Call, db: TenantDb) => {
    const operation = context.operation as unknown as Operation;
    const errors = bodyErrors(context.validation.errors ?? []);
    if (errors.length === 0) return handlers.get(call.operation)?.(context, call, db);
    const resource = resources[operation['x-resource'] ?? ''];
    await requireRecord(operation, call, resource, verbs, db);
    throw validationFailed(errors);
  });
  for (const scheme of Object.keys(api.definition.components?.securitySchemes ?? {}))
    api.registerSecurityHandler(scheme, () => true);
  for (const operation of operationsOf(api)) {
    checkDeprecation(operation);
    if (operation['x-withdrawn']) continue;
    const handle = once(handlerOf(operation, resources, verbs, actions, services), operation.method);
    const rehearsed = queryNames(operation).has(rehearsal);
    const handler: Handler = (_, call, db) =>
      handle(call, rehearsed && isOn(call.parameters, rehearsal) ? rehearse(db) : db);
    handlers.set(operation.operationId, handler);
    api.register(operation.operationId, handler);
  }
  return api;
};
