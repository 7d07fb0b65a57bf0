import { ApiError } from '../../core/errors.ts';
import { type Host, parseHost } from '../../core/host.ts';

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
