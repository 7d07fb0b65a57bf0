import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';

/** What remains of a key's requests in its current period. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds left in the period. */
  readonly reset: number;
  readonly exceeded: boolean;
}

/** Requests by key, in fixed windows that begin with a key's first request. A store for several instances has the same shape. */
export interface Counter {
  /** Counts one more request. */
  add(key: string): Promise<Count>;
  read(key: string): Promise<Count>;
}

export interface Count {
  readonly requests: number;
  /** Milliseconds until the window ends. */
  readonly endsIn: number;
}

/** Counts in this process's memory; `period` in seconds. */
export const memoryCounter = (period: number): Counter => {
  // The limit differs from tenant to tenant, so that it is applied to the count, not by the library.
  return counterOver(new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: period }), period);
};

/** A counter over one of the library's limiters. */
export const counterOver = (limiter: RateLimiterAbstract, period: number): Counter => {
  const none: Count = { requests: 0, endsIn: period * 1000 };
  return {
    add: async key => countOf(await limiter.consume(key)),
    read: async key => {
      const found = await limiter.get(key);
      return found && found.msBeforeNext > 0 ? countOf(found) : none;
    },
  };
};

const countOf = ({ consumedPoints, msBeforeNext }: { consumedPoints: number; msBeforeNext: number }): Count => ({
  requests: consumedPoints,
  endsIn: msBeforeNext,
});

export const quotaOf = ({ requests, endsIn }: Count, limit: number, period: number): Quota => ({
  limit,
  remaining: Math.max(0, limit - requests),
  // A clock that was set back must not prolong the period.
  reset: Math.min(period, Math.max(0, Math.ceil(endsIn / 1000))),
  exceeded: requests > limit,
});

/** The part of an address that stands for one client: an IPv4 address, or the first 64 bits of an IPv6 one. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
};
