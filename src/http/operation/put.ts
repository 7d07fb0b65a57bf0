import type { Call } from '../../core/call/call.ts';
import { presented } from '../../core/resource/findings.ts';
import { createBodyCheck } from '../../engine/bodies.ts';
import type { Put } from '../../engine/services.ts';
import type { Verbs } from '../../engine/verb.ts';
import { type ApiDocument, bodiesOf, operationsOf } from './operation.ts';

/** Returns the service that updates records as their PUT operations do, with all checks. */
export const createPut = (
  document: ApiDocument,
  { resources, verbs }: { readonly resources: Call['resources']; readonly verbs: Pick<Verbs, 'update'> },
): Put => {
  const operations = new Map(
    operationsOf(document)
      .filter(({ verb, parent }) => verb === 'update' && !parent)
      .map(({ resource, operationId }) => [resource, operationId]),
  );
  const check = createBodyCheck(bodiesOf(document));
  return async ({ resource: name, id, body }, call, db) => {
    const [operation, resource] = [operations.get(name), resources[name]];
    if (operation === undefined || !resource) throw new Error(`${name} can't be updated.`);
    const own: Call = {
      ...call,
      operation,
      id,
      externalId: null,
      params: { id },
      parent: null,
      parameters: [],
      ...check(name, 'update', structuredClone(body)),
      headers: { ...call.headers, ifMatch: null, idempotencyKey: null },
    };
    try {
      return await verbs.update(resource)(own, db);
    } catch (error) {
      throw presented(error, call.principal.apiUser, name);
    }
  };
};
