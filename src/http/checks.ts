import type { IncomingMessage } from 'node:http';
import { ApiError } from '../core/errors.ts';
import type { Caller, Principal } from '../core/principal.ts';
import { isAllowed, scopeMissing, scopesOf, unrestricted } from '../core/resource/access.ts';
import type { Module, Resource } from '../core/resource/resource.ts';
import type { Identity } from '../tenancy/caller/callers.ts';
import { type Host, parseHost } from '../tenancy/names.ts';
import type { Operation } from './operation/operation.ts';
import type { Proxies } from './request/proxy.ts';
import type { RateLimit } from './request/rate-limit.ts';
import { forgetCaller, type State, type TenantRequest } from './request/state.ts';
import type { Wire } from './request/wire.ts';
import { type Format, mediaType } from './response/formats.ts';

/** Checks that a request came over HTTPS. @throws ApiError https_required (403) */
export const requireHttps = (proxies: Proxies, request: IncomingMessage): void => {
  if (!proxies.isSecure(request)) throw new ApiError('https_required', { headers: { Connection: 'close' } });
};

/** Checks that the start is complete; undefined: it is. @throws ApiError service_unavailable (503) */
export const requireStarted = (ready: (() => boolean) | undefined): void => {
  if (ready && !ready()) throw new ApiError('service_unavailable', { message: 'The service is starting.' });
};

/** Checks that a request target has at most `limit` bytes. @throws ApiError uri_too_long (414) */
export const requireShort = (target: string, limit: number): void => {
  if (target.length > limit) throw new ApiError('uri_too_long', { message: `The URL is longer than ${limit} bytes.` });
};

/** Checks the method override, the callback and the query string. @throws ApiError 400 */
export const requireValid = ({ problem }: Wire): void => {
  if (problem) throw problem;
};

/**
 * Returns the host of a request from the values of its Host headers and its target.
 * @throws ApiError invalid_parameter (400) unless there is exactly one valid Host header and an absolute target has the
 * same host
 */
export const readHost = ([value = '', ...others]: readonly string[], target: string): Host => {
  const host = others.length === 0 ? parseHost(value) : null;
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (!host || (authority !== undefined && parseHost(authority)?.authority !== host.authority)) throw invalid();
  return host;
};

const invalid = (): ApiError =>
  new ApiError('invalid_parameter', {
    message: 'The request must have exactly one valid Host header.',
    description: "Send one Host header with the tenant's host name, and its port unless it is 443.",
  });

/** Returns whose token a request has; failures are counted per IP address. @throws ApiError 401, 429 */
export const identify = async (state: State, identity: Identity, rates: RateLimit): Promise<Principal> => {
  try {
    const principal = identity.authenticate();
    state.metadata.principal = principal;
    return principal;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) await rates.countAddress(state);
    throw error;
  }
};

/** Returns the principal of a request without a token. @throws ApiError 429 */
export const anonymous = async (
  { exchange: { state }, tenant }: TenantRequest,
  rates: RateLimit,
): Promise<Principal> => {
  await rates.countAddress(state);
  return { tenant, apiUser: { id: 0, name: 'anonymous', readOnly: true, ...unrestricted }, tokenId: '' };
};

/**
 * Returns the caller of a request that lasts, who is looked up again to be confirmed.
 * @param permit checks that the principal may still make the request
 */
export const callerOf = (
  { exchange: { state }, identity }: TenantRequest,
  rates: RateLimit,
  permit: (principal: Principal) => void,
): Caller => {
  const findAgain = async (): Promise<Principal> => {
    const again = await identity.again();
    state.metadata.tenant = again.tenant;
    return identify(state, again, rates);
  };
  return {
    async confirm() {
      const principal = await findAgain().catch((error: unknown) => {
        forgetCaller(state);
        throw error;
      });
      permit(principal);
      return principal;
    },
  };
};

/** What an operation needs of its caller, beside the format and the body. */
export interface CallerNeeds {
  /** Null: the core, which every tenant has. */
  readonly module: Module | null;
  /** What its scopes are named after: nothing, as of GET /me, or all of these. */
  readonly scopes: readonly string[];
  /** Whether API users read their own records without a scope. */
  readonly readsOwn: boolean;
}

/** Returns what an operation needs of its caller. */
export const callerNeedsOf = (
  { module, sandbox, resource: name = '' }: Operation,
  resources: Readonly<Record<string, Resource>>,
): CallerNeeds => {
  const resource = resources[name];
  const others = sandbox ? ['sandbox'] : [];
  return {
    module: module ?? resource?.module ?? null,
    scopes: resource ? scopesOf(resource) : others,
    readsOwn: resource?.readOwn !== undefined,
  };
};

/**
 * Checks that the tenant has the module.
 * See docs/decisions.md, "Modules and scopes".
 * @throws ApiError module_disabled (403)
 */
export const requireModule = ({ tenant }: Principal, { module }: CallerNeeds): void => {
  if (module !== null && !tenant.modules.has(module))
    throw new ApiError('module_disabled', { message: `The tenant does not have the module ${module}.` });
};

/** Rejects sandboxes' operations of other tenants. @throws ApiError forbidden (403) */
export const requireSandbox = ({ tenant }: Principal, { sandbox }: Operation): void => {
  if (sandbox && !tenant.sandbox)
    throw new ApiError('forbidden', {
      message: 'The tenant is not a sandbox.',
      description: 'Use the host name and the token of a sandbox, which the operator of the service creates.',
    });
};

/**
 * Checks that the API user may read what the operation is about. Its own records it may read without.
 * See docs/decisions.md, "Modules and scopes".
 * @throws ApiError scope_missing (403)
 */
export const requireScope = ({ apiUser }: Principal, { scopes, readsOwn }: CallerNeeds): void => {
  const missing = scopes.find(name => !isAllowed(apiUser, name, 'read'));
  if (missing !== undefined && !readsOwn) throw scopeMissing(missing);
};

/**
 * Checks that the API user may write the operation's resource, if the method writes.
 * See docs/decisions.md, "Modules and scopes".
 * @throws ApiError read_only_user (405)
 */
export const requireWriteAccess = ({ apiUser }: Principal, { scopes }: CallerNeeds, method: string): void => {
  if (method === 'GET' || method === 'HEAD') return;
  if (apiUser.readOnly || !scopes.every(name => isAllowed(apiUser, name, 'write')))
    throw new ApiError('read_only_user', { headers: { Allow: 'GET, HEAD' } });
};

/** Checks that the operation has the format. @throws ApiError not_found (404) */
export const requireFormat = ({ responses }: Operation, format: Format): void => {
  if (format.forListings && !Object.hasOwn(responses?.['200']?.content ?? {}, mediaType(format)))
    throw new ApiError('not_found');
};

/** Checks that the operation has not been withdrawn. @throws ApiError gone (410) */
export const requireInUse = ({ withdrawn }: Operation): void => {
  if (withdrawn) throw new ApiError('gone');
};
