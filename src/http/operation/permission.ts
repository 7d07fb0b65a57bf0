import { ApiError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { isAllowed, scopeMissing, scopesOf } from '../../core/resource/access.ts';
import type { Module, Resource } from '../../core/resource/resource.ts';
import { type Format, isForListings, mediaType } from '../response/formats.ts';
import type { Operation } from './operation.ts';

/**
 * Checks that the tenant has the module; null is the core, which every tenant has.
 * See docs/decisions.md, "Modules and scopes".
 * @throws ApiError module_disabled (403)
 */
export const requireModule = ({ tenant }: Principal, module: Module | null): void => {
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

/** What the scopes of an operation are named after: nothing, as of GET /me, or all of these. */
const namesOf = ({ sandbox }: Operation, resource: Resource | undefined): readonly string[] => {
  if (resource) return scopesOf(resource);
  return sandbox ? ['sandbox'] : [];
};

/**
 * Checks that the API user may read what the operation is about. Its own records it may read without.
 * See docs/decisions.md, "Modules and scopes".
 * @throws ApiError scope_missing (403)
 */
export const requireScope = ({ apiUser }: Principal, operation: Operation, resource?: Resource): void => {
  const missing = namesOf(operation, resource).find(name => !isAllowed(apiUser, name, 'read'));
  if (missing !== undefined && !resource?.readOwn) throw scopeMissing(missing);
};

/**
 * Checks that the API user may write the operation's resource, if the method writes.
 * See docs/decisions.md, "Modules and scopes".
 * @throws ApiError read_only_user (405)
 */
export const requireWriteAccess = (
  { apiUser }: Principal,
  operation: Operation,
  method: string,
  resource?: Resource,
): void => {
  if (method === 'GET' || method === 'HEAD') return;
  if (apiUser.readOnly || !namesOf(operation, resource).every(name => isAllowed(apiUser, name, 'write')))
    throw new ApiError('read_only_user', { headers: { Allow: 'GET, HEAD' } });
};

/** Checks that the operation has the format. @throws ApiError not_found (404) */
export const requireFormat = ({ responses }: Operation, format: Format): void => {
  if (isForListings(format) && !Object.hasOwn(responses?.['200']?.content ?? {}, mediaType(format)))
    throw new ApiError('not_found');
};

/** Checks that the operation has not been withdrawn. @throws ApiError gone (410) */
export const requireInUse = ({ withdrawn }: Operation): void => {
  if (withdrawn) throw new ApiError('gone');
};
