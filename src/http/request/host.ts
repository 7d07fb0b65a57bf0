import { ApiError } from '../../core/errors.ts';

/** Whom a request is addressed to. */
export interface Host {
  /** In lower case, without port and without a trailing dot. */
  readonly name: string;
  /** The name with the port, if the request gave one: `demo.localhost:8443`. */
  readonly authority: string;
}

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

const hostPattern = /^([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*)\.?(?::(\d{1,5}))?$/;

/** A host name of letters, digits and hyphens with an optional port; null: it is none. */
export const parseHost = (text: string): Host | null => {
  if (text.length > 260) return null;
  const [, name, port] = hostPattern.exec(text.toLowerCase()) ?? [];
  if (name === undefined || name.length > 253 || Number(port ?? 0) > 65_535) return null;
  if (name.split('.').some(label => label.startsWith('-') || label.endsWith('-'))) return null;
  return { name, authority: port === undefined ? name : `${name}:${Number(port)}` };
};
