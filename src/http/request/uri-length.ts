import { ApiError } from '../../core/errors.ts';
import type { Stage } from './state.ts';

/** Refuses a request target of more than `limit` bytes. */
export const limitUri =
  (limit: number): Stage =>
  async (ctx, next) => {
    if ((ctx.req.url ?? '').length > limit)
      throw new ApiError('uri_too_long', { message: `The address is longer than ${limit} bytes.` });
    await next();
  };
