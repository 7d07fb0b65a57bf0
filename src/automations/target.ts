import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Resolves a host name to IP addresses, like `dns.lookup`. */
export type ResolveHost = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** The targets that webhooks may be sent to. */
export interface TargetPolicy {
  /** Allowed networks (address/prefix) and IP addresses that are not public. */
  readonly networks: readonly string[];
  /** Whether plain HTTP is allowed. */
  readonly http: boolean;
  /** Resolver of host names; default: the system's. */
  readonly resolve?: ResolveHost;
}

/** Thrown for a webhook URL that requests must not be sent to. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
  readonly code: 'target_refused' | 'https_required';

  constructor(code: TargetError['code']) {
    super(code);
    this.code = code;
  }
}

/** The signature of a socket's `lookup` option. */
type ConnectionLookup = (
  host: string,
  options: LookupOptions,
  done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/**
 * Creates the checks of webhook targets.
 * The IP address is checked in the look-up of the connection itself, so that it cannot change between check and
 * connection (DNS rebinding).
 */
export const createGate = ({ networks, http, resolve = systemLookup }: TargetPolicy) => {
  const allowed = blockListOf(networks);
  const isAllowed = (address: string): boolean =>
    isPublic(address) || allowed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return {
    /** Checks the protocol and, if the host is an IP address, the address. @throws TargetError */
    check: ({ protocol, hostname }: URL): void => {
      if (protocol !== 'https:' && !(http && protocol === 'http:')) throw new TargetError('https_required');
      // The URL parser has normalized all notations of IP addresses.
      const literal = hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) > 0 && !isAllowed(literal)) throw new TargetError('target_refused');
    },
    /** Resolves a host name; fails with a TargetError unless all its IP addresses are allowed. */
    lookup: ((host, options, done) =>
      resolve(host, { ...options, all: true }, (error, addresses) => {
        const [first] = addresses ?? [];
        if (error || !first) done(error ?? new TargetError('target_refused'), []);
        else if (!addresses.every(({ address }) => isAllowed(address))) done(new TargetError('target_refused'), []);
        else if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      })) satisfies ConnectionLookup as ConnectionLookup,
  };
};

/**
 * Whether an IP address is public.
 * It is not loopback, private, link-local (such as cloud metadata) or otherwise reserved.
 */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address.split('%', 1).join());
  if (cloudServices.has(parsed.toString())) return false;
  return parsed.range() === 'unicast' && (!(parsed instanceof ipaddr.IPv6) || parsed.match(globalIPv6));
};

/** Public IP addresses at which clouds serve metadata to their own machines: Azure's WireServer. */
const cloudServices = new Set(['168.63.129.16']);

/**
 * Global unicast addresses.
 * The rest is reserved or a deprecated notation of IPv4 addresses (`::7f00:1`).
 */
const globalIPv6 = ipaddr.IPv6.parseCIDR('2000::/3');

const blockListOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
};
