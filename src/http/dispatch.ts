import { type Document, OpenAPIBackend, type Request } from 'openapi-backend';
import type { TenantDb } from '../db/database.ts';
import { rehearse } from '../db/rehearsal.ts';
import { validationFailed } from '../errors.ts';
import type { Resource } from '../resource/resource.ts';
import type { Tenant } from '../tenancy/principal.ts';
import { type BodyLimits, readBody } from './body.ts';
import type { Call } from './call.ts';
import { checkDeprecation, deprecationHeaders } from './deprecation.ts';
import { type Action, bodyErrors, handlerOf, parameterCheck, requireRecord, type Verbs } from './handlers.ts';
import { createMatcher, type Match } from './match.ts';
import { root } from './negotiate.ts';
import { locate } from './nested.ts';
import { type Operation, queryNames } from './operation.ts';
import { requireModule, requireWriteAccess } from './permission.ts';
import type { Reply } from './reply.ts';
import type { Exchange, Stage } from './state.ts';
import { isOn } from './switch.ts';
import { ajv } from './validator.ts';

export interface Operations {
  /** The published OpenAPI document. */
  readonly document: object;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly verbs: Verbs;
  /** Handlers of all other operations, by operationId. */
  readonly actions: Readonly<Record<string, Action>>;
  readonly databaseOf: (tenant: Tenant) => TenantDb;
  readonly limits: BodyLimits;
}

/** A request as openapi-backend takes it, with the operation that the matcher has found already. */
interface MatchedRequest extends Request {
  readonly operation: Operation;
}

/** From the authenticated request to its operation's Reply: match, permission, body, validation, handler. */
export const dispatch = (options: Operations): Stage => {
  const { resources, limits } = options;
  const api = createApi(options);
  const operations = operationsOf(api);
  const match = createMatcher(operations);
  const parameterChecks = new Map(operations.map(operation => [operation.operationId, parameterCheck(operation)]));
  return async ctx => {
    const { wire, principal } = ctx.state;
    if (!principal) throw new Error('Dispatch comes after authentication.');
    const matched = match(wire.method, wire.path);
    const { operation, params } = matched;
    ctx.state.operation = operation.operationId;
    ctx.set(deprecationHeaders(operation, params));
    requireModule(principal, operation['x-module'] ?? resources[operation['x-resource'] ?? '']?.module ?? null);
    requireWriteAccess(principal, wire.method);
    const { requestBody } = operation;
    const body = requestBody ? await readBody(ctx.req, limits, requestBody.required) : {};
    const call = callOf(ctx, matched, { principal, body });
    parameterChecks.get(call.operation)?.(call);
    const request: MatchedRequest = {
      method: operation.method,
      path: wire.path,
      headers: {},
      query: {},
      body,
      operation,
    };
    ctx.state.reply = await api.handleRequest(request, call);
  };
};

const callOf = ({ state, headers }: Exchange, match: Match, rest: Pick<Call, 'principal' | 'body'>): Call => ({
  ...rest,
  ...locate(match, root, state.wire.parameters, rest.body),
  operation: match.operation.operationId,
  alias: match.operation['x-alias'] ?? null,
  params: match.params,
  self: state.wire.self,
  headers: { ifMatch: headers['if-match'] ?? null, idempotencyKey: String(headers['idempotency-key'] ?? '') || null },
});

const operationsOf = (api: OpenAPIBackend): readonly Operation[] =>
  api.getOperations() as unknown as readonly Operation[];

/** The parameter that an operation declares if it can be tried out: it then answers as ever, and nothing is stored. */
const rehearsal = 'dry_run';

type Handler = (context: unknown, call: Call) => Promise<Reply>;

/** openapi-backend over the document: it validates the bodies of actions and calls the handlers. */
const createApi = ({ document, resources, verbs, actions, databaseOf }: Operations): OpenAPIBackend => {
  const api = new OpenAPIBackend({
    definition: structuredClone(document) as Document,
    // Its own check of the document knows OpenAPI 3.0 only.
    quick: true,
    customizeAjv: () => ajv as never,
    // The engine validates the five verbs against the resource table.
    validate: ({ operation }) => (operation as unknown as Operation)['x-verb'] === undefined,
  });
  // Nothing is awaited in quick mode: the document is an object.
  void api.init();
  const router = api.router as { matchOperation: unknown };
  // Its own would build a list and a regular expression for each operation on every request.
  router.matchOperation = (request: MatchedRequest): Operation => request.operation;
  const handlers = new Map<string, Handler>();
  api.register('validationFail', async (context, call: Call) => {
    const operation = context.operation as unknown as Operation;
    const errors = bodyErrors(context.validation.errors ?? []);
    if (errors.length === 0) return handlers.get(call.operation)?.(context, call);
    const resource = resources[operation['x-resource'] ?? ''];
    await requireRecord(operation, call, resource, verbs, databaseOf(call.principal.tenant));
    throw validationFailed(errors);
  });
  for (const scheme of Object.keys(api.definition.components?.securitySchemes ?? {}))
    api.registerSecurityHandler(scheme, () => true);
  for (const operation of operationsOf(api)) {
    checkDeprecation(operation);
    const handle = handlerOf(operation, resources, verbs, actions);
    const rehearsed = queryNames(operation).has(rehearsal);
    const handler: Handler = (_, call) => {
      const db = databaseOf(call.principal.tenant);
      return handle(call, rehearsed && isOn(call.parameters, rehearsal) ? rehearse(db) : db);
    };
    handlers.set(operation.operationId, handler);
    api.register(operation.operationId, handler);
  }
  return api;
};
