import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet, { type HelmetOptions } from 'helmet';

const options: HelmetOptions = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  // Script elements of other origins must be able to load JSONP.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  strictTransportSecurity: { includeSubDomains: false },
  xFrameOptions: { action: 'deny' },
  // Relevant only to documents with scripts and frames.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

/** Returns helmet's headers for an API, overridden by `own`; computed once for all responses. */
export const securityHeaders = (own: HelmetOptions = {}): Readonly<Record<string, string>> => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({ ...options, ...own } as HelmetOptions)(response.req, response, () => {});
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
};

/**
 * The headers of every response.
 * Accept-Encoding declares the supported codings of request bodies (RFC 9110, section 12.5.3); shared caches store
 * nothing, and the client's cache revalidates each time.
 */
export const commonHeaders: Readonly<Record<string, string>> = {
  ...securityHeaders(),
  'accept-encoding': 'gzip',
  'cache-control': 'private, no-cache',
  vary: 'Accept-Encoding',
};
