import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import { type JsonObject, parseObject } from '../core/json/object.ts';
import { bodyOf, type InternalRequest, type InternalRoute } from '../http/connection/internal/route.ts';
import { createAdmission, isLoopback } from './api/admission.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const admission = createAdmission(null);

/**
 * Checks that a request comes from this machine but not from a page in a browser, and has the key.
 * @throws ApiError 401, 403
 */
const admit = (request: InternalRequest, key: string): void => {
  if (!isLoopback(request.address))
    throw new ApiError('forbidden', { message: 'Only processes of this machine are served.' });
  admission(request);
  if (request.headers.origin !== undefined) throw new ApiError('forbidden', { message: 'Pages are not served.' });
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${key}`)))
    throw new ApiError('invalid_token', { message: 'The key is missing or not that of the running server.' });
};

/** Maximum levels of nesting: an object with lists. */
const depthLimit = 2;

/** Returns a route of the administration API: a JSON object in, JSON out, for callers with the key. */
export const guarded =
  (key: string, serve: (body: JsonObject) => Promise<unknown>): InternalRoute =>
  async request => {
    try {
      admit(request, key);
      const { value } = await parseObject(bodyOf(request), depthLimit);
      return { status: 200, body: await serve(value) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, body: { code: error.code, message: error.message } };
    }
  };
