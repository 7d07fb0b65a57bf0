import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Reply } from '../../core/call/reply.ts';
import { negotiate } from '../request/negotiate.ts';
import type { Exchange } from '../request/state.ts';
import { corsHeaders } from './cors.ts';
import type { Headers } from './envelope.ts';
import { failureReply } from './failures.ts';
import type { FormatSettings } from './formats.ts';
import { type Rendered, type RenderRequest, renderReply } from './render.ts';
import { commonHeaders } from './security-headers.ts';
import type { Spool, Spools } from './spool.ts';

/** Settings of the service's configuration. */
export interface SendOptions {
  /** For listings that are too long for memory. */
  readonly spools: Spools;
  readonly formats: FormatSettings;
}

/** Sends a reply as its request asks; `own` are headers beside those of all and of the reply. */
export const send = async (
  ctx: Exchange,
  reply: Reply,
  own: Headers,
  log: Logger,
  options: SendOptions,
): Promise<void> => {
  const { status, headers, bytes, spool, stream } = await render(ctx, reply, own, log, options);
  if (!ctx.writable) {
    await spool?.close();
    stream?.destroy();
    return abandon(ctx);
  }
  if (!spool && !stream) return sendBytes(ctx, status, headers, bytes);
  ctx.status = status;
  // No body of null before it: Koa would have Node send the response unchunked, and its end would be that of the connection.
  ctx.set(headers);
  if (spool) sendSpool(ctx, spool);
  if (stream) sendStream(ctx, stream, headers, log);
};

/** Notes that nobody reads the response: the client left, or the request was rejected as late. */
const abandon = (ctx: Exchange): void => {
  ctx.respond = false;
  ctx.state.metadata.code = null;
  if (ctx.status !== 408) ctx.res.statusCode = 499;
};

/** Sends a body in memory past Koa, which would set each header by itself; null: none. */
const sendBytes = (ctx: Exchange, status: number, headers: Headers, bytes: Buffer | null): void => {
  const { res, method } = ctx;
  ctx.respond = false;
  // The connection's end depends on it later: Node does not tell the headers that it is given with the status.
  if (headers.connection !== undefined) res.setHeader('Connection', headers.connection);
  const isEmpty = status === 204 || status === 304 || (bytes === null && method === 'HEAD');
  res.writeHead(status, isEmpty ? headers : { ...headers, 'content-length': bytes?.length ?? 0 });
  res.end(bytes);
};

/** Sends a spooled body; closes the spool once it has been sent or the client has disconnected. */
const sendSpool = (ctx: Exchange, spool: Spool): void => {
  const { length } = spool;
  ctx.res.once('close', () => void spool.close());
  ctx.body = ctx.method === 'HEAD' ? Buffer.alloc(0) : spool.stream();
  ctx.length = length;
};

/**
 * Sends a streamed body; closes the connection on a failure, so that no partial one seems complete.
 */
const sendStream = (ctx: Exchange, stream: Readable, headers: Headers, log: Logger): void => {
  const { requestId, trace, signal } = ctx.state;
  ctx.body = stream;
  // Setting a stream as body makes Koa change type and length: set the headers again.
  ctx.set(headers);
  stream.once('error', error => {
    // Otherwise the client has disconnected.
    if (!signal.aborted) log.warn({ request_id: requestId, ...trace, err: error }, 'A response was cut off.');
    ctx.res.destroy();
  });
};

const render = async (
  ctx: Exchange,
  reply: Reply,
  own: Headers,
  log: Logger,
  { spools, formats }: SendOptions,
): Promise<Rendered> => {
  const { wire, metadata, signal, requestId } = ctx.state;
  const request: RenderRequest = {
    wire,
    tenantId: metadata.tenant?.id ?? null,
    ifNoneMatch: ctx.headers['if-none-match'],
    acceptEncoding: ctx.req.headers['accept-encoding']?.toString(),
    spooling: { spools, signal },
    settings: formats,
    range: ctx.headers.range,
    ifRange: ctx.headers['if-range']?.toString(),
  };
  // Such a response must not be stored.
  const hasQueryToken = wire.token !== null && ctx.headers.authorization === undefined;
  const common: Headers = {
    ...commonHeaders,
    ...(hasQueryToken && { 'cache-control': 'private, no-store' }),
    'x-request-id': requestId,
    ...(ctx.method !== 'OPTIONS' && corsHeaders),
    ...own,
  };
  try {
    return await renderReply(reply, common, request);
  } catch (error) {
    // The client has disconnected.
    if (signal.aborted) return { status: 499, headers: common, bytes: null };
    const failure = failureReply(error, ctx.state, log);
    // After an internal error, encoding in the requested form might fail again: use the default form.
    const form = failure.status === 500 ? negotiate({ headers: {} }) : wire;
    return renderReply(failure, common, { ...request, wire: form });
  }
};
