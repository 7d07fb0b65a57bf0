import { ApiError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import type { Module } from '../../core/resource/resource.ts';
import { type Format, isForListings, mediaType } from '../response/formats.ts';
import type { Operation } from './operation.ts';

/** @throws ApiError module_disabled (403) unless the tenant has the module; null: the core, which every tenant has */
export const requireModule = ({ tenant }: Principal, module: Module | null): void => {
  if (module !== null && !tenant.modules.has(module))
    throw new ApiError('module_disabled', { message: `The tenant does not have the module ${module}.` });
};

/** @throws ApiError read_only_user (405) if the API user may not use the method */
export const requireWriteAccess = ({ apiUser }: Principal, method: string): void => {
  if (apiUser.readOnly && method !== 'GET' && method !== 'HEAD')
    throw new ApiError('read_only_user', { headers: { Allow: 'GET, HEAD' } });
};

/** @throws ApiError not_found (404) if only listings have the format and the operation declares no such content */
export const requireFormat = ({ responses }: Operation, format: Format): void => {
  if (isForListings(format) && !Object.hasOwn(responses?.['200']?.content ?? {}, mediaType(format)))
    throw new ApiError('not_found');
};
