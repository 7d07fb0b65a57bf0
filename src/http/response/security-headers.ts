import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet, { type HelmetOptions } from 'helmet';

const options: HelmetOptions = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  // A script element of another origin must be able to load JSONP.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  strictTransportSecurity: { includeSubDomains: false },
  xFrameOptions: { action: 'deny' },
  // What matters to documents with scripts and frames only.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

/** helmet's headers for an API, those of `own` in place of its own: the same on every answer, so that they are asked for once. */
export const securityHeaders = (own: HelmetOptions = {}): Readonly<Record<string, string>> => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({ ...options, ...own } as HelmetOptions)(response.req, response, () => {});
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
};

/**
 * The headers of every answer. Accept-Encoding tells which codings of request bodies are understood (RFC 9110, section 12.5.3);
 * caches of several users keep nothing, the client's own asks each time.
 */
export const commonHeaders: Readonly<Record<string, string>> = {
  ...securityHeaders(),
  'accept-encoding': 'gzip',
  'cache-control': 'private, no-cache',
  vary: 'Accept-Encoding',
};
