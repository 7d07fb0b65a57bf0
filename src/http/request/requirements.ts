import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../core/errors.ts';
import type { Proxies } from './proxy.ts';
import type { Wire } from './wire.ts';

/** Checks that a request came over HTTPS. @throws ApiError https_required (403) */
export const requireHttps = (proxies: Proxies, request: IncomingMessage): void => {
  if (!proxies.isSecure(request)) throw new ApiError('https_required', { headers: { Connection: 'close' } });
};

/** Checks that the start is complete. @throws ApiError service_unavailable (503) */
export const requireStarted = (ready: () => boolean): void => {
  if (!ready()) throw new ApiError('service_unavailable', { message: 'The service is starting.' });
};

/** Checks that a request target has at most `limit` bytes. @throws ApiError uri_too_long (414) */
export const requireShort = (target: string, limit: number): void => {
  if (target.length > limit) throw new ApiError('uri_too_long', { message: `The URL is longer than ${limit} bytes.` });
};

/** Checks the method override, the callback and the query string. @throws ApiError 400 */
export const requireValid = ({ problem }: Wire): void => {
  if (problem) throw problem;
};
