import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';

/** The remaining requests of a key in its current period. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds left in the period. */
  readonly reset: number;
  readonly exceeded: boolean;
}

/** Counts requests by key, in fixed windows that begin with a key's first request. */
export interface Counter {
  /** Counts one more request and returns the count. */
  add(key: string): Promise<Count>;
  read(key: string): Promise<Count>;
}

export interface Count {
  readonly requests: number;
  /** Milliseconds until the window ends. */
  readonly endsIn: number;
}

/** Returns a counter in this process's memory; `period` in seconds. */
export const memoryCounter = (period: number): Counter => {
  // The limit differs by tenant, so it is applied to the count instead of by the library.
  return counterOver(new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: period }), period);
};

/** Returns a counter that uses one of the library's limiters. */
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

/** Returns the quota that results from a count; `period` in seconds. */
export const quotaOf = ({ requests, endsIn }: Count, limit: number, period: number): Quota => ({
  limit,
  remaining: Math.max(0, limit - requests),
  // A clock that was set back must not extend the period.
  reset: Math.min(period, Math.max(0, Math.ceil(endsIn / 1000))),
  exceeded: requests > limit,
});

/** Returns the part of an IP address that identifies a client: all of IPv4, the first 64 bits of IPv6. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
};
