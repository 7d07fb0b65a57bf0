import type { ValidateFunction } from 'ajv';
import type { Call } from '../../core/call/call.ts';
import type { FieldError } from '../../core/errors.ts';
import { ajv } from '../../core/validator.ts';
import { toFieldErrors } from '../../core/violations.ts';
import type { Put } from '../../engine/services.ts';
import type { HandlerDependencies } from './handlers.ts';
import { type ApiDocument, type Operation, operationsOf } from './operation.ts';

/** Returns the service that updates records as their PUT operations do: checked by the document and by the engine. */
export const createPut = (
  document: ApiDocument,
  { resources, verbs }: Pick<HandlerDependencies, 'resources' | 'verbs'>,
): Put => {
  const operations = new Map(
    operationsOf(document)
      .filter(({ verb, parent }) => verb === 'update' && !parent)
      .map(operation => [operation.resource, { operation, findings: bodyCheck(operation, document) }]),
  );
  return async ({ resource: name, id, body }, call, db) => {
    const [known, resource] = [operations.get(name), resources[name]];
    if (!known || !resource) throw new Error(`${name} can't be updated.`);
    const own: Call = {
      ...call,
      operation: known.operation.operationId,
      id,
      externalId: null,
      params: { id },
      parent: null,
      parameters: [],
      body,
      findings: known.findings(body),
      headers: { ...call.headers, ifMatch: null, idempotencyKey: null },
    };
    return verbs.update(own, resource, db);
  };
};

/** Returns the check of a body by the schema of the operation, compiled at its first use. */
const bodyCheck = (
  { requestBody }: Operation,
  { components }: ApiDocument,
): ((body: Call['body']) => readonly FieldError[]) => {
  let validate: ValidateFunction | undefined;
  return body => {
    validate ??= ajv.compile({ ...requestBody?.content['application/json']?.schema, components });
    return validate(body) ? [] : toFieldErrors(validate.errors ?? []);
  };
};
