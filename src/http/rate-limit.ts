import type { Logger } from 'pino';
import { ApiError } from '../errors.ts';
import { type Count, type Counter, networkOf, type Quota, quotaOf } from './quota.ts';
import type { Exchange, Stage } from './state.ts';

export interface RateLimit {
  /** Outermost: the headers that tell the quota, on every answer. */
  readonly headers: Stage;
  /** Counts a request of the API user. */
  readonly user: Stage;
  /** Counts a request of the client's address. @throws ApiError rate_limit_exceeded (429) */
  countAddress(ctx: Exchange): Promise<void>;
}

/** Limits requests per API user, and per address for those that no user has been told for; `period` in seconds. */
export const limitRates = (options: {
  readonly counter: Counter;
  readonly requests: number;
  readonly period: number;
  readonly log: Logger;
}): RateLimit => {
  const { counter, requests, period, log } = options;
  const addressKey = ({ state }: Exchange) => `address:${networkOf(state.address)}`;

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
      const { limit, remaining, reset } = ctx.state.quota ?? (await addressQuota(ctx));
      ctx.set('X-Rate-Limit-Limit', String(limit));
      ctx.set('X-Rate-Limit-Remaining', String(remaining));
      ctx.set('X-Rate-Limit-Reset', String(reset));
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
