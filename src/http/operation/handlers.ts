import type { TenantFields } from '../../attributes/tenant-fields.ts';
import type { Call } from '../../core/call/call.ts';
import { isOn } from '../../core/call/switch.ts';
import { ApiError, validationFailed } from '../../core/errors.ts';
import { suggestion } from '../../core/names.ts';
import { presented } from '../../core/resource/findings.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { TenantDb } from '../../db/database.ts';
import { type AnyAction, runAction } from '../../engine/action.ts';
import { type Handle, once } from '../../engine/idempotency.ts';
import type { ActionServices, Services } from '../../engine/services.ts';
import type { Verbs } from '../../engine/verb.ts';
import { createReadConfirmed } from './confirmed.ts';
import { withDryRun } from './dry-run.ts';
import { createConcealing } from './hidden.ts';
import { checkDeprecation } from './match.ts';
import { type ApiDocument, type Operation, operationsOf } from './operation.ts';
import { createPut } from './put.ts';

/** The functions that serve the operations, and what they need. */
export interface HandlerDependencies {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly verbs: Verbs;
  /** Handlers of all other operations, by operationId. */
  readonly actions: Readonly<Record<string, AnyAction>>;
  readonly services: Services;
  /** The published document, whose schemas say what is sensitive. */
  readonly document: ApiDocument;
}

interface HandlerParts extends HandlerDependencies {
  readonly services: ActionServices;
}

/**
 * Returns the handlers by operationId, each with parameter check, idempotency and dry run.
 * @throws Error if an operation has no handler
 */
export const createHandlers = (
  dependencies: HandlerDependencies,
  fields: TenantFields,
): ReadonlyMap<string, Handle> => {
  const { document, resources, services } = dependencies;
  const own = { put: createPut(document, dependencies), readConfirmed: createReadConfirmed(fields, resources) };
  const parts = { ...dependencies, services: { ...services, ...own } };
  const operations = operationsOf(document).filter(({ withdrawn }) => !withdrawn);
  return new Map(operations.map(operation => [operation.operationId, handlerOf(operation, parts)]));
};

const handlerOf = (operation: Operation, parts: HandlerParts): Handle => {
  checkDeprecation(operation);
  const check = parameterCheck(operation);
  const handle = withDryRun(operation, parts.services, services =>
    operation.verb === undefined ? actionHandler(operation, { ...parts, services }) : verbHandler(operation, parts),
  );
  return async (call, db) => {
    check?.(call);
    try {
      return await handle(call, db);
    } catch (error) {
      throw presented(error, call.principal.apiUser, operation.resource);
    }
  };
};

const verbHandler = (operation: Operation, { resources, verbs, services }: HandlerParts): Handle => {
  const { operationId, method, verb, resource: name = '' } = operation;
  const resource = resources[name];
  if (!verb || !resource) throw new Error(`${operationId} serves the resource "${name}", which does not exist.`);
  return once(verbs[verb](resource, services), method);
};

const actionHandler = (operation: Operation, parts: HandlerParts): Handle => {
  const { resources, verbs, actions, services, document } = parts;
  const { operationId, method, resource: name = '', xmlRoot = '' } = operation;
  const action = actions[operationId];
  if (!action) throw new Error(`The action ${operationId} has no handler.`);
  const handle = once((call, db) => runAction(action, xmlRoot, call, db, services), method);
  const resource = resources[name];
  return createConcealing(document)(operation, async (call, db) => {
    if (call.findings.length === 0) return handle(call, db);
    await requireRecord(operation, call, resource, verbs, db);
    throw validationFailed(call.findings);
  });
};

/**
 * Returns a check of a call's parameters; null for listings and reads: the engine checks theirs.
 * Boolean ones must be valid, which throws ApiError invalid_parameter (400), and all of them declared by the operation, which throws
 * ApiError unknown_field (400).
 */
const parameterCheck = (operation: Operation): ((call: Pick<Call, 'parameters'>) => void) | null => {
  const { switchNames, queryNames: known } = operation;
  if (operation.verb === 'list' || operation.verb === 'read') return null;
  return ({ parameters }) => {
    for (const name of switchNames) isOn(parameters, name);
    for (const [name] of parameters) {
      if (known.has(name) || (name.endsWith('[]') && known.has(name.slice(0, -2)))) continue;
      throw new ApiError('unknown_field', {
        message: `${name.slice(0, 64)} is not a parameter of this operation.${suggestion(name, [...known])}`,
      });
    }
  };
};

/**
 * Reads the record that an action addresses, so that 404 takes precedence over errors in the body.
 * @throws ApiError not_found (404)
 */
const requireRecord = async (
  { path, resource: name = '' }: Operation,
  call: Call,
  resource: Resource | undefined,
  { read }: Pick<Verbs, 'read'>,
  db: TenantDb,
): Promise<void> => {
  if (resource && path.startsWith(`/${name}/{id}`))
    await read(resource)({ ...call, parameters: [['fields', resource.key]], body: {} }, db);
};
