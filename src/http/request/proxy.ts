import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import proxyAddr from 'proxy-addr';

/** Evaluates X-Forwarded-* headers of trusted proxies. */
export interface Proxies {
  /** Returns the client's IP address: the nearest one that is not a trusted proxy's. */
  addressOf(request: IncomingMessage): string;
  /** Returns whether the client uses HTTPS, either directly or according to a trusted proxy. */
  isSecure(request: IncomingMessage): boolean;
}

/**
 * Trusts proxies by IP address or network (address/prefix); the headers of other peers are ignored.
 * See docs/decisions.md, "Tenants and hosts".
 */
export const trustProxies = (networks: readonly string[]): Proxies => {
  const trusts = remembering(proxyAddr.compile([...networks]));
  return {
    addressOf: request => normalize(proxyAddr(request, trusts)),
    isSecure: request => {
      const { socket, headers } = request;
      const forwarded = headers['x-forwarded-proto'];
      if (forwarded !== undefined && trusts(socket.remoteAddress ?? '', 0)) return isHttps.test(String(forwarded));
      return socket instanceof TLSSocket;
    },
  };
};

/** Each of the protocols that proxies have listed is HTTPS. */
const isHttps = /^\s*https\s*(?:,\s*https\s*)*$/i;

type Trust = (address: string, hop: number) => boolean;

/** Number of peers whose trust is remembered, the ones seen last. */
const remembered = 1_000;

/** Returns a function that parses each peer's address once; those in headers are not remembered. */
const remembering = (trusts: Trust): Trust => {
  const known = new LRUCache<string, boolean>({ max: remembered });
  return (address, hop) => {
    if (hop > 0) return trusts(address, hop);
    const trusted = known.get(address) ?? trusts(address, hop);
    known.set(address, trusted);
    return trusted;
  };
};

/** Returns an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) as IPv4; other addresses unchanged. */
export const normalize = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
