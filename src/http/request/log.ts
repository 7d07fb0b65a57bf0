import type { Logger } from 'pino';
import type { Stage } from './state.ts';

/** Logs one line per request. Only the path of its URL is logged: a query string may contain a token. */
export const logRequests =
  (log: Logger): Stage =>
  async (ctx, next) => {
    const started = performance.now();
    await next();
    const { requestId, metadata, wire } = ctx.state;
    log.info({
      request_id: requestId,
      method: wire.method,
      path: ctx.path.slice(0, 200),
      operation: metadata.match?.operation.operationId ?? null,
      tenant: metadata.tenant?.slug ?? null,
      user: metadata.principal?.apiUser.id ?? null,
      status: ctx.status === 200 && wire.envelope ? (metadata.status ?? 200) : ctx.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    });
  };
