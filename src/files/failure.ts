import { ApiError } from '../core/errors.ts';

/**
 * The error to report for a storage failure: 503, since the client can retry later.
 * An ApiError is returned as it is.
 */
export const storageFailure = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError('service_unavailable', { message: 'The file storage is not available.', cause: error });
