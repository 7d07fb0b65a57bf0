import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { ApiError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { normalize } from './proxy.ts';
import { type Count, type Counter, networkOf, type Quota, quotaOf } from './quota.ts';
import type { Exchange, State } from './state.ts';

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
  async (address: string): Promise<Record<string, string>> => {
    const none: Count = { requests: 0, endsIn: period * 1000 };
    return headersOf(quotaOf(await counter.read(keyOf(normalize(address))).catch(() => none), requests, period));
  };

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
  const callCounter = async ({ requestId }: State, method: keyof Counter, key: string): Promise<Count> => {
    try {
      return await counter[method](key);
    } catch (error) {
      log.warn({ request_id: requestId, err: error }, 'The rate-limit store failed.');
      return { requests: 0, endsIn: period * 1000 };
    }
  };

  const count = async (state: State, key: string, limit: number): Promise<void> => {
    const again = state.counted?.key === key ? state.counted.count : null;
    const counted = again ?? (await callCounter(state, 'add', key));
    state.counted = { key, count: counted };
    const quota = quotaOf(counted, limit, period);
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
      const method = status >= 400 && !state.counted ? 'add' : 'read';
      const { quota } = state.metadata;
      return headersOf(quota ?? quotaOf(await callCounter(state, method, keyOf(state.address)), requests, period));
    },
  };
};
