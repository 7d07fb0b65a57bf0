import type { Logger } from 'pino';
import { ApiError } from '../../core/errors.ts';
import { normalize } from './proxy.ts';
import { type Count, type Counter, networkOf, type Quota, quotaOf } from './quota.ts';
import type { Exchange, Stage } from './state.ts';

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
  /** Outermost: the headers that tell the quota, on every answer. */
  readonly headers: Stage;
  /** Counts a request of the API user. */
  readonly user: Stage;
  /** Counts a request of the client's address. @throws ApiError rate_limit_exceeded (429) */
  countAddress(ctx: Exchange): Promise<void>;
}

/** Limits requests per API user, and per address for those that no user has been told for; `period` in seconds. */
export const limitRates = (options: Options & { readonly log: Logger }): RateLimit => {
  const { counter, requests, period, log } = options;
  const addressKey = ({ state }: Exchange) => keyOf(state.address);

  /** A store that fails must not take the service down: until it is back, requests are not limited. */
  const ask = async (ctx: Exchange, how: keyof Counter, key: string): Promise<Count> => {
    try {
      return await counter[how](key);
    } catch (error) {
      log.warn({ request_id: ctx.state.requestId, err: error }, 'The store of rate limits failed.');
      return { requests: 0, endsIn: period * 1000 };
    }
  };

  const count = async (ctx: Exchange, key: string, limit: number): Promise<void> => {
    const quota = quotaOf(await ask(ctx, 'add', key), limit, period);
    ctx.state.quota = quota;
    if (quota.exceeded)
      throw new ApiError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.max(1, quota.reset)) } });
  };

  /** The address's quota for an answer that nothing has been counted for: a failure counts. */
  const addressQuota = async (ctx: Exchange): Promise<Quota> => {
    const failed = (ctx.state.reply?.status ?? 500) >= 400;
    return quotaOf(await ask(ctx, failed ? 'add' : 'read', addressKey(ctx)), requests, period);
  };

  return {
    headers: async (ctx, next) => {
      await next();
      ctx.set(headersOf(ctx.state.quota ?? (await addressQuota(ctx))));
    },
    user: async (ctx, next) => {
      const { principal } = ctx.state;
      if (principal) {
        const { tenant, apiUser } = principal;
        await count(ctx, `user:${tenant.id}:${apiUser.id}`, tenant.rateLimit ?? requests);
      }
      await next();
    },
    countAddress: ctx => count(ctx, addressKey(ctx), requests),
  };
};
