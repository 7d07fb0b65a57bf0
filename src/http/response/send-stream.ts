import type { Readable } from 'node:stream';
import type { Exchange } from '../request/state.ts';
import type { Headers } from './envelope.ts';

/** Sends a streamed body; the connection ends with one that fails midway, so that no one takes a part for the whole. */
export const sendStream = (ctx: Exchange, stream: Readable, headers: Headers): void => {
  ctx.body = stream;
  // Koa has an opinion of its own on the type and the length of streams.
  ctx.set(headers);
  stream.once('error', () => ctx.res.destroy());
};
