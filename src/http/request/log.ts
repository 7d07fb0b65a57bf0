import type { Logger } from 'pino';
import type { Principal } from '../../core/principal.ts';
import type { Stage } from './state.ts';

/** A request that has been responded to. */
export interface Finished {
  readonly method: string;
  /** Id of the document's operation; null: none. */
  readonly operation: string | null;
  /** The path of the operation, with placeholders, or of the page; null: there is neither. */
  readonly path: string | null;
  readonly status: number;
  /** Milliseconds. */
  readonly ms: number;
  readonly requestId: string;
  /** The error code; null: none. */
  readonly code: string | null;
  /** The verb of the operation (`x-verb`); null: it is an action, or there is none. */
  readonly verb: string | null;
  readonly tenantId: number | null;
  /** Null: not authenticated. */
  readonly principal: Pick<Principal, 'apiUser' | 'tokenId'> | null;
}

/** Logs one line per request, with the path only (queries may have tokens), and observes it. */
export const logRequests =
  (log: Logger, observe?: (request: Finished) => void): Stage =>
  async (ctx, next) => {
    const started = performance.now();
    await next();
    const { requestId, trace, metadata, wire } = ctx.state;
    const finished = {
      method: wire.method,
      operation: metadata.match?.operation.operationId ?? null,
      path: metadata.match?.operation.path ?? metadata.page,
      status: ctx.status === 200 && wire.envelope ? (metadata.status ?? 200) : ctx.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
      requestId,
      code: metadata.code,
      verb: metadata.match?.operation.verb ?? null,
      tenantId: metadata.tenant?.id ?? null,
      principal: metadata.principal,
    };
    observe?.(finished);
    log.info({
      request_id: requestId,
      ...trace,
      method: wire.method,
      path: ctx.path.slice(0, 200),
      operation: finished.operation,
      tenant: metadata.tenant?.slug ?? null,
      user: metadata.principal?.apiUser.id ?? null,
      status: finished.status,
      ms: finished.ms,
    });
  };
