import type { Logger } from 'pino';
import type { Stage } from './state.ts';

/** One line for each request. Of its URL only the path: a query string can hold a token. */
export const logRequests =
  (log: Logger): Stage =>
  async (ctx, next) => {
    const started = performance.now();
    await next();
    const { requestId, noted, wire } = ctx.state;
    log.info({
      request_id: requestId,
      method: wire.method,
      path: ctx.path.slice(0, 200),
      operation: noted.match?.operation.operationId ?? null,
      tenant: noted.tenant?.slug ?? null,
      user: noted.principal?.apiUser.id ?? null,
      status: ctx.status === 200 && wire.envelope ? (noted.status ?? 200) : ctx.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    });
  };
