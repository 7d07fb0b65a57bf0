import { ApiError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { isAllowed, scopeMissing } from '../../core/resource/access.ts';
import type { Module } from '../../core/resource/resource.ts';
import { type Format, isForListings, mediaType } from '../response/formats.ts';
import type { Operation } from './operation.ts';

/**
 * Checks that the tenant has the module; null is the core, which every tenant has.
 * @throws ApiError module_disabled (403)
 */
export const requireModule = ({ tenant }: Principal, module: Module | null): void => {
  if (module !== null && !tenant.modules.has(module))
    throw new ApiError('module_disabled', { message: `The tenant does not have the module ${module}.` });
};

/**
 * Checks that the API user may read the operation's resource; operations of no resource, such as GET /me, need no scope.
 * @throws ApiError scope_missing (403)
 */
export const requireScope = ({ apiUser }: Principal, { resource }: Operation): void => {
  if (resource !== undefined && !isAllowed(apiUser, resource, 'read')) throw scopeMissing(resource);
};

/** Checks that the API user may write the operation's resource, if the method writes. @throws ApiError read_only_user (405) */
export const requireWriteAccess = ({ apiUser }: Principal, { resource }: Operation, method: string): void => {
  if (method === 'GET' || method === 'HEAD') return;
  if (apiUser.readOnly || (resource !== undefined && !isAllowed(apiUser, resource, 'write')))
    throw new ApiError('read_only_user', { headers: { Allow: 'GET, HEAD' } });
};

/** Checks that the operation has the format, which may be one for listings only. @throws ApiError not_found (404) */
export const requireFormat = ({ responses }: Operation, format: Format): void => {
  if (isForListings(format) && !Object.hasOwn(responses?.['200']?.content ?? {}, mediaType(format)))
    throw new ApiError('not_found');
};
