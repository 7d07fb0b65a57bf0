import type { ServerResponse } from 'node:http';
import { negotiate } from './negotiate.ts';
import type { Proxies } from './proxy.ts';
import { requestIdOf } from './request-id.ts';
import type { Stage } from './state.ts';

const goneOf = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
};

/** First: what can be told of a request by its head alone. */
export const receive =
  (proxies: Proxies): Stage =>
  async (ctx, next) => {
    const { req, state } = ctx;
    state.requestId = requestIdOf(req.headers['x-request-id']);
    state.address = proxies.addressOf(req);
    state.wire = negotiate(req);
    state.gone = goneOf(ctx.res);
    state.noted = { tenant: null, principal: null, match: null, quota: null, status: null };
    await next();
  };
