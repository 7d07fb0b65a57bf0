import { ApiError } from '../core/errors.ts';

/** Whether an error is a system error with one of the codes. */
export const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/**
 * The error to report for a storage failure: 503, since the client can retry later.
 * An ApiError is returned as it is.
 */
export const storageFailure = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError('service_unavailable', { message: 'The file storage is not available.', cause: error });
