import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A response on its way to the client. */
export interface Passing {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** What a proxy does besides forwarding. */
export interface Interference {
  /** Called with each request; true: its connection is cut without a response, after the server has processed it. */
  readonly cut?: (request: IncomingMessage) => boolean;
  /** Returns the headers that the server receives. */
  readonly forward?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
  /** Returns the response that the client receives. */
  readonly alter?: (request: IncomingMessage, response: Passing) => Passing;
}

/** A proxy in front of an app under an address of this machine, since the host names of tenants can't be resolved here. */
export interface TenantProxy {
  readonly url: string;
  /** The requests as `METHOD /path`, relative to the API. */
  readonly requested: string[];
  close(): Promise<void>;
}

/** Starts a proxy for one tenant of an app. */
export const startTenantProxy = async (
  port: number,
  slug: string,
  { cut = () => false, forward = headers => headers, alter = (_, response) => response }: Interference = {},
): Promise<TenantProxy> => {
  const requested: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, url = '' } = incoming;
    requested.push(`${method} ${url.replace('/api/v1', '')}`);
    // Trailers are not forwarded.
    const { trailer: _, ...received } = incoming.headers;
    const headers = { ...forward(received), host: `${slug}.test`, 'x-forwarded-proto': 'https' };
    const forwarded = request({ host: '127.0.0.1', port, path: url, method, headers }, async response => {
      const { statusCode: status = 500, headers } = response;
      const passing = { status, headers, bytes: await buffer(response) };
      if (cut(incoming)) return void outgoing.destroy();
      const { 'transfer-encoding': _, ...given } = passing.headers;
      const altered = alter(incoming, { ...passing, headers: given });
      outgoing.writeHead(altered.status, { ...altered.headers, 'content-length': String(altered.bytes.length) });
      outgoing.end(method === 'HEAD' ? undefined : altered.bytes);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    requested,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
