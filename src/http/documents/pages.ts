import { ApiError } from '../../core/errors.ts';
import type { Serve } from '../request/state.ts';

/** What is served beside the operations of the document, by path below the API's. */
export type Pages = Readonly<Record<string, Serve>>;

/** @throws ApiError method_not_allowed (405) for a method that does not only read */
export const requireReading = (method: string): void => {
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
};
