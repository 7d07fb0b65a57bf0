import type { Logger } from 'pino';
import { ApiError } from '../errors.ts';
import { replyTo } from './failures.ts';
import { negotiate } from './negotiate.ts';
import { type Request as Asked, type Rendered, renderReply } from './render.ts';
import type { Reply } from './reply.ts';
import { commonHeaders } from './security-headers.ts';
import { sendStream } from './send-stream.ts';
import type { Exchange, Stage } from './state.ts';

/** Sends the Reply that the later stages leave behind. */
export const send =
  (log: Logger): Stage =>
  async (ctx, next) => {
    ctx.set(commonHeaders);
    ctx.set('X-Request-Id', ctx.state.requestId);
    await next();
    const { status, headers, bytes, stream } = await render(ctx, log);
    ctx.set(headers);
    ctx.status = status;
    if (stream) sendStream(ctx, stream, headers);
    else ctx.body = bytes;
    // Koa takes a missing body for 204, and takes the type away with the body.
    ctx.status = status;
  };

const render = async (ctx: Exchange, log: Logger): Promise<Rendered> => {
  const { requestId, wire, tenant, reply } = ctx.state;
  const asked: Asked = {
    wire,
    tenantId: tenant?.id ?? null,
    ifNoneMatch: ctx.headers['if-none-match'],
    acceptEncoding: ctx.req.headers['accept-encoding']?.toString(),
    range: ctx.headers.range,
    ifRange: ctx.headers['if-range']?.toString(),
  };
  const common = headersOf(ctx);
  try {
    if (!reply) throw new Error('No stage made a reply.');
    return await renderReply(reply, common, asked);
  } catch (error) {
    if (error instanceof ApiError) return renderReply(replyTo(error, requestId), common, asked);
    log.error({ request_id: requestId, err: error }, 'An answer could not be rendered.');
    return renderReply(internalError(requestId), common, { ...asked, wire: negotiate({ headers: {} }) });
  }
};

const internalError = (requestId: string): Reply => replyTo(new ApiError('internal_error'), requestId);

const headersOf = ({ response }: Exchange): Record<string, string> =>
  Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
