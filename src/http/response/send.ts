import type { Logger } from 'pino';
import type { Reply } from '../../core/call/reply.ts';
import { negotiate } from '../request/negotiate.ts';
import type { Exchange, Stage } from '../request/state.ts';
import { failureReply } from './failures.ts';
import type { FormatSettings } from './format.ts';
import { renderReply } from './render.ts';
import type { Rendered, RenderRequest } from './rendered.ts';
import { commonHeaders } from './security-headers.ts';
import { sendStream } from './send-stream.ts';
import type { Spool, Spools } from './spool.ts';

/** Sets the headers that every response has. */
export const setCommonHeaders: Stage = async (ctx, next) => {
  ctx.set(commonHeaders);
  if (hasQueryToken(ctx)) ctx.set('Cache-Control', 'private, no-store');
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};

/** What the operator of the service configures. */
export interface SendOptions {
  /** Where listings go that are too long for memory. */
  readonly spools: Spools;
  readonly formats: FormatSettings;
}

/** Sends a reply in the form that its request asked for. */
export const send = async (ctx: Exchange, reply: Reply, log: Logger, options: SendOptions): Promise<void> => {
  const { status, headers, bytes, spool, stream } = await render(ctx, reply, log, options);
  ctx.set(headers);
  ctx.status = status;
  ctx.body = bytes;
  if (spool) sendSpool(ctx, spool);
  if (stream) sendStream(ctx, stream, headers);
  // Koa takes a missing body for 204, and takes the type away with the body.
  ctx.status = status;
};

/** An address with a token in it is not to be kept with its answer. */
const hasQueryToken = ({ headers, state: { wire } }: Exchange): boolean =>
  wire.token !== null && headers.authorization === undefined;

/** Frees the spool when the answer has been sent, or its client has gone. */
const sendSpool = (ctx: Exchange, spool: Spool): void => {
  const { length } = spool;
  const close = () => void spool.close();
  if (ctx.res.closed || ctx.res.destroyed) {
    close();
    return;
  }
  ctx.res.once('close', close);
  ctx.body = ctx.method === 'HEAD' ? Buffer.alloc(0) : spool.stream();
  ctx.length = length;
};

const render = async (
  ctx: Exchange,
  reply: Reply,
  log: Logger,
  { spools, formats }: SendOptions,
): Promise<Rendered> => {
  const { requestId, wire, noted, gone } = ctx.state;
  const request: RenderRequest = {
    wire,
    tenantId: noted.tenant?.id ?? null,
    ifNoneMatch: ctx.headers['if-none-match'],
    acceptEncoding: ctx.req.headers['accept-encoding']?.toString(),
    spooling: { spools, signal: gone },
    settings: formats,
    range: ctx.headers.range,
    ifRange: ctx.headers['if-range']?.toString(),
  };
  const common = headersOf(ctx);
  try {
    return await renderReply(reply, common, request);
  } catch (error) {
    // No one is told: the client has gone.
    if (gone.aborted) return { status: 503, headers: common, bytes: null };
    const failure = failureReply(error, requestId, log);
    // A reading that failed is told in the form asked for; what could not be encoded might fail again.
    const form = failure.status === 500 ? negotiate({ headers: {} }) : wire;
    return renderReply(failure, common, { ...request, wire: form });
  }
};

const headersOf = ({ response }: Exchange): Record<string, string> =>
  Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
