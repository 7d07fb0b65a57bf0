import { ApiError } from '../../core/errors.ts';
import type { Serve } from '../request/state.ts';

/** Pages that are not operations of the document, by path (of @koa/router) relative to the API's root. */
export type Pages = Readonly<Record<string, Serve>>;

/** Checks that the method is GET or HEAD. @throws ApiError method_not_allowed (405) */
export const requireReading = (method: string): void => {
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
};
