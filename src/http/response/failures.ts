import type { Logger } from 'pino';
import type { Json, Reply } from '../../core/call/reply.ts';
import { ApiError } from '../../core/errors.ts';
import { root } from '../../core/root.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../db/errors.ts';
import type { State } from '../request/state.ts';

/**
 * Returns the reply to an error that was thrown while a request was processed.
 * See docs/decisions.md, "Errors".
 */
export const replyToFailure = (error: unknown, state: State, log: Logger): Reply => {
  const { signal, requestId } = state;
  // What was canceled because the client disconnected is not an error: nothing is logged.
  const isQuery = error instanceof DatabaseError && error.kind === 'timeout';
  const canceled = signal.aborted && (isQuery || error === signal.reason);
  return canceled ? replyTo(new ApiError('service_unavailable'), requestId) : failureReply(error, state, log);
};

/** Returns the reply to an error; server errors are logged. */
export const failureReply = (
  error: unknown,
  { requestId, trace }: Pick<State, 'requestId' | 'trace'>,
  log: Logger,
): Reply => {
  const known = translate(error);
  if (known === null) log.error({ request_id: requestId, ...trace, err: error }, 'A request failed.');
  // An ApiError was thrown on purpose: its stack says nothing about what it is for.
  else if (known.status >= 500)
    log.warn({ request_id: requestId, ...trace, err: error === known ? known.cause : error }, known.message);
  return replyTo(known ?? new ApiError('internal_error'), requestId);
};

/** Returns the reply that describes an error. */
export const replyTo = (error: ApiError, requestId: string): Reply => ({
  status: error.status,
  headers: { ...defaults[error.status], ...error.headers },
  body: { kind: 'value', name: 'error', value: problemOf(error, requestId) },
});

/** Returns the body of the response that describes an error. */
export const problemOf = (
  { code, message, description, errors, extra }: ApiError,
  requestId: string,
): Readonly<Record<string, Json>> => ({
  code,
  message,
  description,
  documentation_url: `${root}/docs/errors.html#${code}`,
  ...(errors && { errors: [...errors] as readonly Json[] }),
  ...extra,
  request_id: requestId,
});

/** Returns the error code of the reply to an error; null if it has none. */
export const errorCodeOf = ({ body }: Reply): string | null =>
  body?.kind === 'value' ? String((body.value as { readonly code?: Json }).code ?? '') || null : null;

/** Headers that every error response with that status has. */
const defaults: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  413: { Connection: 'close' },
  503: { 'Retry-After': '2' },
};

/** Error codes of database errors that no operation has translated; null: an internal error. */
const databaseErrors: Readonly<Record<DatabaseErrorKind, 'service_unavailable' | 'still_referenced' | null>> = {
  unavailable: 'service_unavailable',
  uncertain: 'service_unavailable',
  timeout: 'service_unavailable',
  conflict: 'service_unavailable',
  stale: 'service_unavailable',
  still_referenced: 'still_referenced',
  unique: null,
  reference_missing: null,
  check: null,
  exclusion: null,
  not_null: null,
  value: null,
  embed_overflow: null,
  other: null,
};

const translate = (error: unknown): ApiError | null => {
  if (error instanceof ApiError) return error;
  const code = error instanceof DatabaseError ? databaseErrors[error.kind] : null;
  return code && new ApiError(code, { cause: error });
};
