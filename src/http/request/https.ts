import { ApiError } from '../../core/errors.ts';
import type { Proxies } from './proxy.ts';
import type { Stage } from './state.ts';

/** Refuses what did not come over HTTPS; more of such a request than the form of answer that it asks for is not looked at. */
export const https =
  (proxies: Proxies): Stage =>
  async (ctx, next) => {
    if (!proxies.isSecure(ctx.req)) throw new ApiError('https_required', { headers: { Connection: 'close' } });
    await next();
  };
