import { randomUUID } from 'node:crypto';
import { negotiate } from './negotiate.ts';
import type { Proxies } from './proxy.ts';
import type { Stage, Trace } from './state.ts';

const safe = /^[\w.:+/=@~-]{1,128}$/;

/** Returns the client's X-Request-Id if it is safe to repeat; otherwise a new one. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && safe.test(header) ? header : randomUUID();

const pattern = /^[0-9a-f]{2}-(?<trace>[0-9a-f]{32})-(?<parent>[0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

/** Returns the trace of a traceparent header (W3C Trace Context); null: none, or invalid. */
export const traceOf = (header: string | string[] | undefined): Trace | null => {
  const { trace = '', parent = '' } = pattern.exec(String(header ?? ''))?.groups ?? {};
  const invalid = String(header).startsWith('ff') || /^0*$/.test(trace) || /^0*$/.test(parent);
  return invalid ? null : { trace_id: trace, parent_id: parent };
};

/** Sets the state that follows from the request line and headers; the first stage. */
export const receive =
  (proxies: Proxies): Stage =>
  async (ctx, next) => {
    const { req, res, state } = ctx;
    state.requestId = requestIdOf(req.headers['x-request-id']);
    state.trace = traceOf(req.headers.traceparent);
    state.address = proxies.addressOf(req);
    state.wire = negotiate(req);
    const controller = new AbortController();
    res.once('close', () => res.writableFinished || controller.abort());
    state.signal = controller.signal;
    state.metadata = { tenant: null, principal: null, match: null, page: null, quota: null, status: null, code: null };
    await next();
  };
