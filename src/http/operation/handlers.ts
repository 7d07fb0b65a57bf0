import type { Call } from '../../core/call.ts';
import { ApiError, type FieldError } from '../../core/errors.ts';
import { suggestion } from '../../core/names.ts';
import type { Resource } from '../../core/resource.ts';
import type { ErrorObject } from '../../core/validator.ts';
import { toFieldErrors } from '../../core/violations.ts';
import type { TenantDb } from '../../db/database.ts';
import { type AnyAction, runAction } from '../../engine/action.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { Services } from '../../engine/services.ts';
import type { Verbs } from '../../engine/verb.ts';
import { type Operation, queryNames } from './operation.ts';

/**
 * The handler of an operation: the engine's for a verb, its own for an action.
 * @throws Error if there is none
 */
export const handlerOf = (
  operation: Operation,
  resources: Readonly<Record<string, Resource>>,
  verbs: Verbs,
  actions: Readonly<Record<string, AnyAction>>,
  services: Services,
): Handle => {
  const { operationId, 'x-verb': verb, 'x-resource': name = '', 'x-xml-root': root = '' } = operation;
  if (verb === undefined) {
    const action = actions[operationId];
    if (!action) throw new Error(`The action ${operationId} has no handler.`);
    return (call, db) => runAction(action, root, call, db, services);
  }
  const resource = resources[name];
  if (!resource) throw new Error(`${operationId} serves the resource "${name}", which is not in the table.`);
  return (call, db) => verbs[verb](call, resource, db);
};

/**
 * Checks that a call's parameters are declared by its operation; those of listings and reads the engine checks, which knows the fields.
 * @returns a check that throws ApiError unknown_field (400)
 */
export const parameterCheck = (operation: Operation): ((call: Pick<Call, 'parameters'>) => void) => {
  if (operation['x-verb'] === 'list' || operation['x-verb'] === 'read') return () => {};
  const known = queryNames(operation);
  return ({ parameters }) => {
    for (const [name] of parameters) {
      if (known.has(name) || (name.endsWith('[]') && known.has(name.slice(0, -2)))) continue;
      throw new ApiError('unknown_field', {
        message: `${name.slice(0, 64)} is not a parameter of this operation.${suggestion(name, [...known])}`,
      });
    }
  };
};

const bodyPointer = '/requestBody';

/** What Ajv found wrong with an action's body; its parameters are texts, which the action itself reads. */
export const bodyErrors = (violations: readonly ErrorObject[]): readonly FieldError[] =>
  toFieldErrors(
    violations.filter(({ instancePath }) => instancePath.startsWith(bodyPointer)),
    bodyPointer,
  );

/**
 * Reads the record that an action addresses, so that its absence is told before what is wrong with the body.
 * @throws ApiError not_found (404)
 */
export const requireRecord = async (
  { path, 'x-resource': name = '' }: Operation,
  call: Call,
  resource: Resource | undefined,
  { read }: Pick<Verbs, 'read'>,
  db: TenantDb,
): Promise<void> => {
  if (resource && path.startsWith(`/${name}/{id}`))
    await read({ ...call, parameters: [['fields', resource.key]], body: {} }, resource, db);
};
