import type { ServerResponse } from 'node:http';
import { negotiate } from './negotiate.ts';
import type { Proxies } from './proxy.ts';
import type { Stage } from './state.ts';
import { requestIdOf, traceOf } from './trace.ts';

const signalOf = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
};

/** Sets the state that follows from the request line and headers; the first stage. */
export const receive =
  (proxies: Proxies): Stage =>
  async (ctx, next) => {
    const { req, state } = ctx;
    state.requestId = requestIdOf(req.headers['x-request-id']);
    state.trace = traceOf(req.headers.traceparent);
    state.address = proxies.addressOf(req);
    state.wire = negotiate(req);
    state.signal = signalOf(ctx.res);
    state.metadata = { tenant: null, principal: null, match: null, page: null, quota: null, status: null, code: null };
    await next();
  };
