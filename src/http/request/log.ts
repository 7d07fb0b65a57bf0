import type { Logger } from 'pino';
import type { Stage } from './state.ts';

/** One line for each request. Of its address only the path: a query string can hold a token. */
export const logRequests =
  (log: Logger): Stage =>
  async (ctx, next) => {
    const started = performance.now();
    await next();
    const { requestId, tenant, principal, operation, wire, reply } = ctx.state;
    log.info({
      request_id: requestId,
      method: wire.method,
      path: ctx.path.slice(0, 200),
      operation: operation ?? null,
      tenant: tenant?.slug ?? null,
      user: principal?.apiUser.id ?? null,
      status: ctx.status === 200 && wire.envelope ? (reply?.status ?? 200) : ctx.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    });
  };
