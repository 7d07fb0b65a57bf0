import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import proxyAddr from 'proxy-addr';

/** Which peers' X-Forwarded-* headers count. */
export interface Proxies {
  /** The client's address: the nearest one that is not a proxy's. */
  addressOf(request: IncomingMessage): string;
  /** Whether the client came over HTTPS: itself, or by the word of a proxy. */
  isSecure(request: IncomingMessage): boolean;
}

/** Proxies by their addresses and networks (address/prefix); headers of other peers are ignored. */
export const trustProxies = (networks: readonly string[]): Proxies => {
  const trusts = proxyAddr.compile([...networks]);
  return {
    addressOf: request => normalize(proxyAddr(request, trusts)),
    isSecure: request => {
      const { socket, headers } = request;
      const word = headers['x-forwarded-proto'];
      const forwarded = word === undefined ? null : String(word).toLowerCase().split(',');
      if (forwarded && trusts(socket.remoteAddress ?? '', 0)) return forwarded.every(part => part.trim() === 'https');
      return socket instanceof TLSSocket;
    },
  };
};

/** An IPv4 address that came as an IPv6 one (`::ffff:192.0.2.1`) as itself. */
export const normalize = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
