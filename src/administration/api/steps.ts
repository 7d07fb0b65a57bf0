import { ApiError, validationFailed } from '../../core/errors.ts';
import type { ParsedObject } from '../../core/json/object.ts';
import type { Tenant } from '../../core/principal.ts';
import type { Database } from '../../db/open.ts';
import { bodyOf, type InternalRequest } from '../../http/connection/internal/route.ts';
import { bodyParser, noBody } from '../../http/operation/body.ts';
import type { Operation } from '../../http/operation/operation.ts';
import type { AdmittedTo, Steps } from '../../http/operation/steps.ts';
import { type Act, logged } from '../../tenancy/administration-log.ts';
import { type Administrator, findAdministrator } from '../../tenancy/administrators.ts';
import { findTenantBySlug } from '../../tenancy/directory.ts';
import type { AdministrationCall, OperationId } from './handler.ts';
import type { RequestCounts } from './limits.ts';

/** A request to the administration API. */
export interface AdministrationRequest {
  readonly sent: InternalRequest;
  readonly address: string;
  readonly query: Readonly<Record<string, string | number>>;
  readonly requestId: string;
}

/** The body of a request, who sends it, and the tenant in its path. */
interface AdministratorAdmission extends ParsedObject {
  readonly administrator: Administrator;
  readonly tenant: Tenant | null;
}

/** Serves an operation, whichever it is. */
export type AnyHandler = (call: AdministrationCall<OperationId>) => Promise<unknown>;

/** The status and the value of a successful response. */
export interface ActOutcome {
  readonly status: number;
  readonly value: unknown;
}

const limits = { body: 65_536, jsonDepth: 16 };

/**
 * Returns what the administration API does with a request.
 * @param statusOfFailure returns the status of the response to an error
 */
export const createSteps = (
  database: Database,
  { countFailure }: RequestCounts,
  statusOfFailure: (error: unknown) => number,
): Steps<AdministrationRequest, Administrator, AdministratorAdmission, AnyHandler, ActOutcome> => ({
  async authenticate({ sent, address }) {
    const [, token] = /^bearer +(\S+)$/i.exec(sent.headers.authorization ?? '') ?? [];
    try {
      if (token === undefined) throw new ApiError('missing_token');
      return await findAdministrator(database, token);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) await countFailure(address);
      throw error;
    }
  },

  async admit({ sent }, { operation, params }, administrator) {
    const tenant =
      params.tenant === undefined ? null : await findTenant(database, String(params.tenant), administrator);
    return { ...(await readBody(sent, operation)), administrator, tenant };
  },

  async handle(admitted, handler) {
    if (admitted.findings.length > 0) throw validationFailed(admitted.findings);
    const { operation } = admitted.match;
    const status = statusOf(operation);
    const work = () => handler(callOf(admitted));
    const value = isLogged(operation)
      ? await logged(database, actOf(admitted), work, outcome =>
          'error' in outcome ? statusOfFailure(outcome.error) : status,
        )
      : await work();
    return { status, value };
  },
});

/** Returns the tenant with that slug. @throws ApiError 404: none, or not the administrator's */
const findTenant = async (database: Database, slug: string, { tenant: own }: Administrator): Promise<Tenant> => {
  const tenant = own === null || own === slug ? await findTenantBySlug(database, slug) : null;
  if (!tenant) throw new ApiError('not_found');
  return tenant;
};

/** Returns the body of a request. @throws ApiError 400, 413, 415 */
const readBody = async (sent: InternalRequest, operation: Operation): Promise<ParsedObject> => {
  if (operation.takes === 'json') return bodyParser(sent.headers, limits)(bodyOf(sent));
  if (sent.body?.length === 0) return noBody;
  throw new ApiError('unknown_field', { message: 'This operation takes no body.' });
};

/** Returns the status with which the operation succeeds. */
const statusOf = ({ responses = {} }: Operation): number =>
  Number(Object.keys(responses).find(status => status < '300'));

type AdmittedAdministrator = AdmittedTo<AdministrationRequest, AdministratorAdmission>;

// Safe: the document, from which the types are made, has been checked.
const callOf = ({ administrator, tenant, match, request, body }: AdmittedAdministrator) =>
  ({
    administrator,
    tenant,
    params: match.params,
    query: request.query,
    body: match.operation.takes === 'json' ? body : undefined,
    requestId: request.requestId,
  }) as unknown as AdministrationCall<OperationId>;

/** Whether the log records the operation: all writes, and the reading of secrets. */
const isLogged = ({ method, operationId }: Operation): boolean =>
  method !== 'get' || operationId === 'webhookSecrets_read';

const actOf = ({ administrator, tenant, match, request: { requestId, address }, body }: AdmittedAdministrator): Act => {
  const { tenant: _, ...params } = match.params;
  const addressed = [...Object.values(params), body.slug ?? body.name].filter(part => part !== undefined);
  return {
    administrator: administrator.name,
    token_id: administrator.id,
    operation: match.operation.operationId,
    tenant: tenant?.slug ?? null,
    target: addressed.length > 0 ? addressed.join(' ') : null,
    address,
    request_id: requestId,
  };
};
