import type { TenantDb } from '../db/database.ts';
import { ApiError, validationFailed } from '../errors.ts';
import { suggestion } from '../query/names.ts';
import type { Resource } from '../resource/resource.ts';
import type { Call } from './call.ts';
import { type Operation, queryNames, type VerbName } from './operation.ts';
import type { Reply } from './reply.ts';
import type { ErrorObject } from './validator.ts';
import { toFieldErrors } from './violations.ts';

/** The engine's handler of one verb, for every resource. */
export type Verb = (call: Call, resource: Resource, db: TenantDb) => Promise<Reply>;
export type Verbs = Readonly<Record<VerbName, Verb>>;
/** A hand-written operation. */
export type Action = (call: Call, db: TenantDb) => Promise<Reply>;

export type Handle = (call: Call, db: TenantDb) => Promise<Reply>;

/**
 * The handler of an operation: the engine's for a verb, its own for an action.
 * @throws Error if there is none
 */
export const handlerOf = (
  operation: Operation,
  resources: Readonly<Record<string, Resource>>,
  verbs: Verbs,
  actions: Readonly<Record<string, Action>>,
): Handle => {
  const { operationId, 'x-verb': verb, 'x-resource': name = '' } = operation;
  if (verb === undefined) {
    const action = actions[operationId];
    if (!action) throw new Error(`The action ${operationId} has no handler.`);
    return refusingUnknown(operation, action);
  }
  const resource = resources[name];
  if (!resource) throw new Error(`${operationId} serves the resource "${name}", which is not in the table.`);
  return (call, db) => verbs[verb](call, resource, db);
};

/** The engine looks at a verb's parameters itself; an action's must be declared. */
const refusingUnknown = (operation: Operation, action: Action): Handle => {
  const known = queryNames(operation);
  return (call, db) => {
    for (const [name] of call.parameters) {
      if (known.has(name) || (name.endsWith('[]') && known.has(name.slice(0, -2)))) continue;
      throw new ApiError('unknown_field', {
        message: `${name.slice(0, 64)} is not a parameter of this operation.${suggestion(name, [...known])}`,
      });
    }
    return action(call, db);
  };
};

const bodyPointer = '/requestBody';

/** Throws 422 for what Ajv found wrong with an action's body. Its parameters are texts, which the action itself reads. */
export const refuseViolations = (violations: readonly ErrorObject[]): void => {
  const ofBody = violations.filter(({ instancePath }) => instancePath.startsWith(bodyPointer));
  if (ofBody.length > 0) throw validationFailed(toFieldErrors(ofBody, bodyPointer));
};
