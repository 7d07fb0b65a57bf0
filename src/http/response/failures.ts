import type { Logger } from 'pino';
import type { Json, Reply } from '../../core/call/reply.ts';
import { ApiError } from '../../core/errors.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../db/errors.ts';
import type { State } from '../request/state.ts';

/** The reply to whatever was thrown on the way of a request. */
export const replyToFailure = (error: unknown, { gone, requestId }: State, log: Logger): Reply => {
  // What was being read for a client that has gone is given up on purpose, and no one is told.
  const givenUp = gone.aborted && error instanceof DatabaseError && error.kind === 'timeout';
  return givenUp ? replyTo(new ApiError('service_unavailable'), requestId) : failureReply(error, requestId, log);
};

/** The answer to whatever was thrown; what is no one's mistake but ours is logged. */
export const failureReply = (error: unknown, requestId: string, log: Logger): Reply => {
  const known = translate(error);
  if (known === null) log.error({ request_id: requestId, err: error }, 'A request failed.');
  else if (known.status >= 500) log.warn({ request_id: requestId, err: error }, known.message);
  return replyTo(known ?? new ApiError('internal_error'), requestId);
};

/** The answer that tells an error. */
export const replyTo = (
  { code, status, message, description, headers, errors, extra }: ApiError,
  requestId: string,
): Reply => ({
  status,
  headers: { ...defaults[status], ...headers },
  body: {
    kind: 'value',
    name: 'error',
    value: {
      code,
      message,
      description,
      ...(errors && { errors: [...errors] as readonly Json[] }),
      ...extra,
      request_id: requestId,
    },
  },
});

/** Headers that a status never goes without. */
const defaults: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  413: { Connection: 'close' },
  503: { 'Retry-After': '2' },
};

/** What the database could not do, where no operation had a better word for it; null: our own mistake. */
const databaseErrors: Readonly<Record<DatabaseErrorKind, 'service_unavailable' | 'still_referenced' | null>> = {
  unavailable: 'service_unavailable',
  uncertain: 'service_unavailable',
  timeout: 'service_unavailable',
  conflict: 'service_unavailable',
  still_referenced: 'still_referenced',
  unique: null,
  reference_missing: null,
  check: null,
  exclusion: null,
  not_null: null,
  value: null,
  other: null,
};

const translate = (error: unknown): ApiError | null => {
  if (error instanceof ApiError) return error;
  const code = error instanceof DatabaseError ? databaseErrors[error.kind] : null;
  return code && new ApiError(code, { cause: error });
};
