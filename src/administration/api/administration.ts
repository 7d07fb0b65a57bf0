import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { ApiError, validationFailed } from '../../core/errors.ts';
import { parseObject } from '../../core/json/object.ts';
import type { Tenant } from '../../core/principal.ts';
import {
  bodyOf,
  type InternalRequest,
  type InternalResponse,
  type InternalRoute,
} from '../../http/connection/internal/route.ts';
import { type ApiDocument, takesJson } from '../../http/operation/operation.ts';
import { normalize } from '../../http/request/proxy.ts';
import { requestIdOf } from '../../http/request/request-id.ts';
import { failureReply } from '../../http/response/failures.ts';
import { securityHeaders } from '../../http/response/security-headers.ts';
import { type Act, logged } from '../../tenancy/administration-log.ts';
import { findAdministrator } from '../../tenancy/administrators.ts';
import { findTenantBySlug } from '../../tenancy/directory.ts';
import { InputError } from '../../tenancy/names.ts';
import { automationHandlers } from '../acts/automations.ts';
import { fieldHandlers, type MembersOf } from '../acts/fields.ts';
import { logHandlers } from '../acts/logs.ts';
import type { AdministrationParts } from '../acts/parts.ts';
import { tenantHandlers } from '../acts/tenants.ts';
import { userHandlers } from '../acts/users.ts';
import { administrationPath } from '../channel.ts';
import { servePage } from '../page.ts';
import { createAdmission } from './admission.ts';
import { type Admitted, type Asked, createDispatch, type Steps, statusOf } from './dispatch.ts';
import { countRequests, defaultRequestLimits, type RequestLimits } from './limits.ts';

/** What the administration API needs. */
export interface AdministrationOptions extends AdministrationParts {
  readonly log: Logger;
  /** Returns whether the start is complete. */
  readonly ready: () => boolean;
  /** The certificate of the internal port; null: it has none. */
  readonly certificate: string | null;
  readonly limits?: RequestLimits;
}

interface Request extends Asked {
  readonly sent: InternalRequest;
  readonly address: string;
}

const document: ApiDocument = JSON.parse(
  readFileSync(new URL('../../../generated/administration.json', import.meta.url), 'utf8'),
);

/** The members of the document's schemas. */
const membersOf: MembersOf = name =>
  Object.keys((document.components?.schemas?.[name] as { readonly properties?: object })?.properties ?? {});

const headers = securityHeaders({ crossOriginResourcePolicy: { policy: 'same-origin' } });
const depthLimit = 16;

/** Returns what serves the administration API and its page on the internal port. */
export const createAdministration = (options: AdministrationOptions): InternalRoute => {
  const { database, log, ready, certificate, limits = defaultRequestLimits } = options;
  const admit = createAdmission(certificate === null ? null : new X509Certificate(certificate));
  const counts = countRequests(limits);

  const steps: Steps<Request> = {
    async authenticate({ sent, address }) {
      const [, token] = /^bearer +(\S+)$/i.exec(sent.headers.authorization ?? '') ?? [];
      try {
        if (token === undefined) throw new ApiError('missing_token');
        return await findAdministrator(database, token);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) await counts.countFailure(address);
        throw error;
      }
    },

    async findTenant(slug, administrator) {
      const own = administrator.tenant === null || administrator.tenant === slug;
      const tenant = own ? await findTenantBySlug(database, slug) : null;
      if (!tenant) throw new ApiError('not_found');
      return tenant;
    },

    async readBody({ sent }, operation) {
      if (!takesJson(operation)) {
        if (sent.body?.length === 0) return {};
        throw new ApiError('unknown_field', { message: 'This operation takes no body.' });
      }
      const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = sent.headers;
      if (!/^application\/json *(?:; *charset=utf-8)?$/i.test(type.trim()) || coding !== 'identity')
        throw new ApiError('unsupported_media_type');
      const { value, inexact } = await parseObject(bodyOf(sent), depthLimit);
      if (inexact.length > 0) throw validationFailed(inexact);
      return value;
    },

    handle: (request, admitted, work) =>
      isLogged(admitted)
        ? logged(database, actOf(request, admitted), work, outcome =>
            'error' in outcome ? failureStatus(outcome.error) : statusOf(admitted.operation),
          )
        : work(),
  };
  const dispatch = createDispatch(
    document,
    {
      ...tenantHandlers(options),
      ...userHandlers(options),
      ...fieldHandlers(options, membersOf),
      ...automationHandlers(options, membersOf),
      ...logHandlers(options),
    },
    steps,
  );

  const serveApi = async (sent: InternalRequest, requestId: string): Promise<InternalResponse> => {
    const address = normalize(sent.address);
    await counts.countRequest(address);
    if (!ready()) throw new ApiError('service_unavailable', { message: 'The service is starting.' });
    const query = sent.target.slice(sent.path.length + 1);
    const path = sent.path.slice(administrationPath.length);
    const { status, value } = await dispatch({ sent, address, requestId, method: sent.method, path, query });
    return { status, headers, body: value };
  };

  return async sent => {
    const requestId = requestIdOf(sent.headers['x-request-id']);
    try {
      admit(sent);
      const isApi = sent.path.startsWith(`${administrationPath}/`);
      if (sent.path === `${administrationPath}/openapi.json`) return { status: 200, headers, body: document };
      const response = isApi ? await serveApi(sent, requestId) : servePage(sent);
      return { ...response, headers: { ...response.headers, 'x-request-id': requestId } };
    } catch (error) {
      const { status, headers: own, body } = failureReply(failureOf(error), { requestId, trace: null }, log);
      const value = body?.kind === 'value' ? body.value : undefined;
      return { status, headers: { ...headers, ...own, 'x-request-id': requestId }, body: value };
    }
  };
};

/** Returns the error with which a request is rejected; what is not the client's is an internal error. */
const failureOf = (error: unknown): unknown =>
  error instanceof InputError ? new ApiError('validation_failed', { message: error.message }) : error;

const failureStatus = (error: unknown): number => {
  const failure = failureOf(error);
  return failure instanceof ApiError ? failure.status : 500;
};

/** Whether the log records the operation: all writes, and the reading of secrets. */
const isLogged = ({ operation: { method, operationId } }: Admitted): boolean =>
  method !== 'get' || operationId === 'webhookSecrets_read';

const actOf = ({ requestId, address }: Request, { operation, call }: Admitted): Act => {
  const { tenant: _, ...params } = call.params as Readonly<Record<string, unknown>>;
  const body = (call.body ?? {}) as unknown as Readonly<Record<string, unknown>>;
  const addressed = [...Object.values(params), body.slug ?? body.name].filter(part => part !== undefined);
  return {
    administrator: call.administrator.name,
    tokenId: call.administrator.id,
    operation: operation.operationId,
    tenant: (call.tenant as Tenant | null)?.slug ?? null,
    target: addressed.length > 0 ? addressed.join(' ') : null,
    address,
    requestId,
  };
};
