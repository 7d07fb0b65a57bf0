import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../core/errors.ts';
import type { InternalRequest, InternalRoute } from '../../http/connection/internal/route.ts';
import { createAdmission, isLoopback } from './api/admission.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const admission = createAdmission(null);

/** Checks that a request comes from this machine, was not sent by a page in a browser, and has the key. @throws ApiError 401, 403 */
const admit = (request: InternalRequest, key: string): void => {
  if (!isLoopback(request.address))
    throw new ApiError('forbidden', { message: 'Only processes of this machine are served.' });
  admission(request);
  if (request.headers.origin !== undefined) throw new ApiError('forbidden', { message: 'Pages are not served.' });
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${key}`)))
    throw new ApiError('invalid_token', { message: 'The key is missing or not that of the running server.' });
};

/** Returns a route of the administration API: JSON in, JSON out, for holders of the key. */
export const guarded =
  (key: string, serve: (body: unknown) => Promise<unknown>): InternalRoute =>
  async request => {
    try {
      admit(request, key);
      return { status: 200, body: await serve(parse(request.body)) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, body: { code: error.code, message: error.message } };
    }
  };

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new ApiError('malformed_json', { message: 'The body is not JSON.' });
  }
};
