import type { Logger } from 'pino';
import { ApiError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { normalize } from './proxy.ts';
import { type Count, type Counter, networkOf, type Quota, quotaOf } from './quota.ts';
import type { State } from './state.ts';

/** The headers that tell a quota. */
const headersOf = ({ limit, remaining, reset }: Quota): Record<string, string> => ({
  'X-Rate-Limit-Limit': String(limit),
  'X-Rate-Limit-Remaining': String(remaining),
  'X-Rate-Limit-Reset': String(reset),
});

interface Options {
  readonly counter: Counter;
  readonly requests: number;
  readonly period: number;
}

const keyOf = (address: string): string => `address:${networkOf(address)}`;

/** The same headers for an address of which no request could be read; nothing is counted. */
export const addressHeaders =
  ({ counter, requests, period }: Options) =>
  async (address: string): Promise<Record<string, string>> => {
    const none: Count = { requests: 0, endsIn: period * 1000 };
    return headersOf(quotaOf(await counter.read(keyOf(normalize(address))).catch(() => none), requests, period));
  };

export interface RateLimit {
  /** Counts a request of the API user. @throws ApiError rate_limit_exceeded (429) */
  countUser(state: State, principal: Principal): Promise<void>;
  /** Counts a request of the client's address. @throws ApiError rate_limit_exceeded (429) */
  countAddress(state: State): Promise<void>;
  /** The headers that tell the quota, for a response of that status: the address's, where nothing has been counted. */
  headersFor(state: State, status: number): Promise<Record<string, string>>;
}

/** Limits requests per API user, and per address for those that no user has been told for; `period` in seconds. */
export const limitRates = (options: Options & { readonly log: Logger }): RateLimit => {
  const { counter, requests, period, log } = options;

  /** A store that fails must not take the service down: until it is back, requests are not limited. */
  const ask = async ({ requestId }: State, how: keyof Counter, key: string): Promise<Count> => {
    try {
      return await counter[how](key);
    } catch (error) {
      log.warn({ request_id: requestId, err: error }, 'The store of rate limits failed.');
      return { requests: 0, endsIn: period * 1000 };
    }
  };

  const count = async (state: State, key: string, limit: number): Promise<void> => {
    const quota = quotaOf(await ask(state, 'add', key), limit, period);
    state.noted.quota = quota;
    if (quota.exceeded)
      throw new ApiError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.max(1, quota.reset)) } });
  };

  return {
    countUser: (state, { tenant, apiUser }) =>
      count(state, `user:${tenant.id}:${apiUser.id}`, tenant.rateLimit ?? requests),
    countAddress: state => count(state, keyOf(state.address), requests),
    async headersFor(state, status) {
      // A failure counts.
      const how = status >= 400 ? 'add' : 'read';
      return headersOf(state.noted.quota ?? quotaOf(await ask(state, how, keyOf(state.address)), requests, period));
    },
  };
};
