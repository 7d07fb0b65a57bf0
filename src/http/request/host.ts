import { ApiError } from '../../core/errors.ts';
import { type Host, parseHost } from '../../core/host.ts';

/**
 * The host that a request names, by its raw headers (names and values in turn) and its target.
 * @throws ApiError invalid_parameter (400) unless there is exactly one, well-formed, and an absolute target agrees with it
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
    message: 'The request does not name one valid host.',
    description: "Send one Host header with the tenant's host name, and its port unless it is 443.",
  });
