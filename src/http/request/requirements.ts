import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../core/errors.ts';
import { type Host, parseHost } from '../../tenancy/names.ts';
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

/**
 * Returns the host of a request from its raw headers (alternating names and values) and its target.
 * @throws ApiError invalid_parameter (400) unless there is exactly one valid Host header and an absolute target has the
 * same host
 */
export const readHost = (rawHeaders: readonly string[], target: string): Host => {
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  const host = values.length === 1 ? parseHost(values[0] ?? '') : null;
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (!host || (authority !== undefined && parseHost(authority)?.authority !== host.authority)) throw invalid();
  return host;
};

const invalid = (): ApiError =>
  new ApiError('invalid_parameter', {
    message: 'The request must have exactly one valid Host header.',
    description: "Send one Host header with the tenant's host name, and its port unless it is 443.",
  });
