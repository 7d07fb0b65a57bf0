import { ApiError } from '../errors.ts';
import { negotiate } from './negotiate.ts';
import type { Proxies } from './proxy.ts';
import type { Stage } from './state.ts';

/** Refuses what did not come over HTTPS, whatever form of answer it asks for: such a request is not looked into. */
export const https =
  (proxies: Proxies): Stage =>
  async (ctx, next) => {
    if (!proxies.isSecure(ctx.req)) {
      ctx.state.wire = negotiate({ method: ctx.req.method, url: '/', headers: {} });
      throw new ApiError('https_required', { headers: { Connection: 'close' } });
    }
    await next();
  };
