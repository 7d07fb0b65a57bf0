import { createTenantFields } from '../attributes/tenant-fields.ts';
import { defaultLimits } from '../core/call/limits.ts';
import type { Parameter } from '../core/call/parameter.ts';
import type { Body, Json, Reply } from '../core/call/reply.ts';
import { ApiError } from '../core/errors.ts';
import type { JsonObject } from '../core/json/object.ts';
import { administration, type Origin } from '../core/origin.ts';
import type { Principal, Tenant } from '../core/principal.ts';
import { unrestricted } from '../core/resource/access.ts';
import type { TenantDb } from '../db/database.ts';
import { createOperationCheck } from '../engine/bodies.ts';
import { callerNeedsOf, requireModule } from './checks.ts';
import { locate } from './operation/call.ts';
import { createHandlers, type HandlerDependencies } from './operation/handlers.ts';
import { bodiesOf, operationsOf } from './operation/operation.ts';
import { json } from './response/formats/json.ts';

/** An operation of the tenants' API, as the administration performs it. */
export interface Task {
  readonly tenant: Tenant;
  readonly operation: string;
  /** The path parameters. */
  readonly params?: Readonly<Record<string, number | string>>;
  readonly parameters?: readonly Parameter[];
  readonly body?: JsonObject;
  readonly requestId: string;
  /** The API user whom the record that is written acts for; default: the administration. */
  readonly apiUser?: Principal['apiUser'];
}

/**
 * Performs an operation for the administration, which may do everything, and returns the value.
 * Null: none. Bodies, rules and the journal are those of a request.
 * @throws ApiError as a request would be rejected
 */
export type PerformTask = (task: Task) => Promise<Json>;

/** What performing operations needs. */
export interface PerformDependencies extends HandlerDependencies {
  readonly databaseOf: (tenant: Tenant, signal?: AbortSignal, origin?: Origin) => TenantDb;
}

/** Returns the function that performs operations in this process. */
export const createPerform = (dependencies: PerformDependencies): PerformTask => {
  const { document, resources, databaseOf } = dependencies;
  const operations = new Map(operationsOf(document).map(operation => [operation.operationId, operation]));
  const fields = createTenantFields(resources);
  const handlers = createHandlers(dependencies, fields);
  const check = createOperationCheck(bodiesOf(document));

  return async ({ tenant, operation: name, params = {}, parameters = [], body: given = {}, requestId, apiUser }) => {
    const operation = operations.get(name);
    const handle = handlers.get(name);
    if (!operation || !handle) throw new Error(`There is no operation ${name}.`);
    const principal: Principal = {
      tenant,
      apiUser: apiUser ?? { id: 0, name: 'administration', readOnly: false, ...unrestricted },
      tokenId: '',
    };
    requireModule(principal, callerNeedsOf(operation, resources));
    const { body, findings } =
      operation.takes === 'json' ? check(name, structuredClone(given)) : { body: {}, findings: [] };
    const call = {
      principal,
      caller: { confirm: async () => principal },
      resources,
      operation: name,
      alias: operation.alias ?? null,
      params,
      ...locate({ operation, params }, parameters, body),
      self: { path: '', parameters },
      limits: defaultLimits,
      body,
      findings,
      content: null,
      headers: { ifMatch: null, idempotencyKey: null, declared: {} },
      requestId,
      leave: (): never => {
        throw new ApiError('forbidden');
      },
      matches: () => false,
    };
    const db = databaseOf(tenant, undefined, { by: administration.by, requestId });
    const reply = await fields.run(db, (fields, db) => handle({ ...call, fields }, db));
    return jsonOf(reply);
  };
};

const jsonOf = async ({ body }: Reply): Promise<Json> => {
  if (body === null) return null;
  if (body.kind === 'bytes' || body.kind === 'ready' || body.kind === 'stream')
    throw new Error('The administration reads no files.');
  return JSON.parse(json.encode(body.kind === 'listing' ? await wholeOf(body) : body).toString());
};

/** Returns a listing that is read in batches as one in memory. */
const wholeOf = async ({ representation, produce }: Extract<Body, { kind: 'listing' }>) => {
  const records = await produce(async batches => (await Array.fromAsync(batches)).flat());
  return { kind: 'rows', representation: { ...representation, records } } as const;
};
