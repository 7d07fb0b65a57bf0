import { ApiError } from '../core/errors.ts';

/** The error codes of failed authentication. */
export type TokenErrorCode = 'missing_token' | 'invalid_token' | 'token_expired' | 'token_revoked';

/** A 401 error with the WWW-Authenticate header (RFC 6750, section 3). */
export const tokenError = (code: TokenErrorCode): ApiError =>
  new ApiError(code, { headers: { 'WWW-Authenticate': 'Bearer' } });
