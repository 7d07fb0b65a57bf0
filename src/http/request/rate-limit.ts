import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { ApiError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { normalize } from './proxy.ts';
import type { Count, Exchange, Quota, State } from './state.ts';

/**
 * Counts requests by key, in fixed windows that begin with a key's first request.
 * The limit differs by tenant, so it is applied to the count instead of by the library.
 */
export type Counter = Pick<RateLimiterAbstract, 'consume' | 'get'>;

/** Returns a counter in this process's memory; `period` in seconds. */
export const memoryCounter = (period: number): Counter =>
  new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: period });

/** Returns the quota that results from a count, null: of no request; `period` in seconds. */
export const quotaOf = (count: Count | null, limit: number, period: number): Quota => {
  const { consumedPoints: requests, msBeforeNext } = count ?? { consumedPoints: 0, msBeforeNext: period * 1000 };
  return {
    limit,
    remaining: Math.max(0, limit - requests),
    // A clock that was set back must not extend the period.
    reset: Math.min(period, Math.max(0, Math.ceil(msBeforeNext / 1000))),
    exceeded: requests > limit,
  };
};

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

/** Returns the rate-limit headers of a quota. */
const headersOf = ({ limit, remaining, reset }: Quota): Record<string, string> => ({
  'x-rate-limit-limit': String(limit),
  'x-rate-limit-remaining': String(remaining),
  'x-rate-limit-reset': String(reset),
});

interface RateLimitOptions {
  readonly counter: Counter;
  readonly requests: number;
  readonly period: number;
}

const keyOf = (address: string): string => `address:${networkOf(address)}`;

/** Returns the rate-limit headers of an IP address with an unparsable request; nothing is counted. */
export const addressHeaders =
  ({ counter, requests, period }: RateLimitOptions) =>
  async (address: string): Promise<Record<string, string>> =>
    headersOf(quotaOf(await counter.get(keyOf(normalize(address))).catch(() => null), requests, period));

export interface RateLimit {
  /** Counts a request until its response is sent. @throws ApiError rate_limit_exceeded (429) */
  countUser(exchange: Exchange, principal: Principal): Promise<void>;
  /** Counts a request of the client's IP address. @throws ApiError rate_limit_exceeded (429) */
  countAddress(state: State): Promise<void>;
  /** Returns the rate-limit headers of a response: those of the IP address if nothing was counted. */
  headersFor(state: State, status: number): Promise<Record<string, string>>;
}

/**
 * Limits requests per API user, and per IP address for unauthenticated requests; `period` in seconds.
 * See docs/decisions.md, "Requests".
 */
export const limitRates = (
  options: RateLimitOptions & {
    readonly log: Logger;
    /** Requests of an API user in progress at once, in this process. */
    readonly concurrency?: number;
  },
): RateLimit => {
  const { counter, requests, period, log, concurrency = 20 } = options;

  /** While the store fails, requests are not limited: it must not take the service down. */
  const callCounter = async ({ requestId }: State, method: keyof Counter, key: string): Promise<Count | null> => {
    try {
      return await counter[method](key);
    } catch (error) {
      log.warn({ request_id: requestId, err: error }, 'The rate-limit store failed.');
      return null;
    }
  };

  const count = async (state: State, key: string, limit: number): Promise<void> => {
    if (state.counted?.key !== key) state.counted = { key, count: await callCounter(state, 'consume', key) };
    const quota = quotaOf(state.counted.count, limit, period);
    state.metadata.quota = quota;
    if (quota.exceeded)
      throw new ApiError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.max(1, quota.reset)) } });
  };

  const inProgress = new Map<string, number>();

  /** Counts a request until it is complete, or until it leaves the count. */
  const enter = (key: string, state: State, response: ServerResponse): void => {
    const others = inProgress.get(key) ?? 0;
    if (others >= concurrency)
      throw new ApiError('rate_limit_exceeded', {
        message: `More than ${concurrency} requests of the API user are in progress.`,
        headers: { 'Retry-After': '1' },
      });
    if (response.closed) return;
    inProgress.set(key, others + 1);
    let counted = true;
    state.leave = () => {
      if (!counted) return;
      counted = false;
      const left = (inProgress.get(key) ?? 1) - 1;
      if (left > 0) inProgress.set(key, left);
      else inProgress.delete(key);
    };
    response.once('close', state.leave);
  };

  return {
    async countUser({ state, res }, { tenant, apiUser }) {
      const key = `user:${tenant.id}:${apiUser.id}`;
      await count(state, key, tenant.rateLimit ?? requests);
      enter(key, state, res);
    },
    countAddress: state => count(state, keyOf(state.address), requests),
    async headersFor(state, status) {
      // Failed requests count as well.
      const method = status >= 400 && !state.counted ? 'consume' : 'get';
      const { quota } = state.metadata;
      return headersOf(quota ?? quotaOf(await callCounter(state, method, keyOf(state.address)), requests, period));
    },
  };
};
