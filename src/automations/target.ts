import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Finds the addresses of a host name, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Where webhooks may be sent. */
export interface TargetPolicy {
  /** Networks (address/prefix) and addresses that are allowed although they are not public. */
  readonly networks: readonly string[];
  /** Whether plain HTTP is allowed. */
  readonly http: boolean;
  /** Another resolver than the system's. */
  readonly resolve?: Resolve;
}

/** A webhook's address is not one that requests may be sent to. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
  readonly code: 'target_refused' | 'https_required';

  constructor(code: TargetError['code']) {
    super(code);
    this.code = code;
  }
}

/** The look-up of a connection: all addresses of a name, if every one of them is allowed. */
type ConnectionLookup = (
  host: string,
  options: LookupOptions,
  done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/** Decides on addresses; the one that is connected to is the one that was looked at. */
export const createGate = ({ networks, http, resolve = systemLookup }: TargetPolicy) => {
  const allowed = blockListOf(networks);
  const isAllowed = (address: string): boolean =>
    isPublic(address) || allowed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return {
    /** @throws TargetError if the address cannot be meant, before anything is looked up */
    check: ({ protocol, hostname }: URL): void => {
      if (protocol !== 'https:' && !(http && protocol === 'http:')) throw new TargetError('https_required');
      // A URL has brought every way to write an address into the usual one.
      const literal = hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) > 0 && !isAllowed(literal)) throw new TargetError('target_refused');
    },
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

/** Whether an address belongs to the internet at large: not to this machine, a private network, a cloud's metadata, … */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  return parsed.range() === 'unicast' && (!(parsed instanceof ipaddr.IPv6) || parsed.match(globalIPv6));
};

/** All that is given out of IPv6; the rest is reserved, or an old way to write an address of IPv4 (`::7f00:1`). */
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
