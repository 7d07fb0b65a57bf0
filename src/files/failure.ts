import { ApiError } from '../core/errors.ts';

/** Whether it is a system error of one of these codes. */
export const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** What a storage failed at, as the client is told it: later the storage may have room, or be there again. */
export const storageFailure = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError('service_unavailable', { message: 'The file storage is not available.', cause: error });
