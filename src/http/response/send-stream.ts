import type { Readable } from 'node:stream';
import type { Exchange } from '../request/state.ts';
import type { Headers } from './envelope.ts';

/**
 * Sends a streamed body; closes the connection if it fails midway, so that a partial body is not mistaken for a
 * complete one.
 */
export const sendStream = (ctx: Exchange, stream: Readable, headers: Headers): void => {
  ctx.body = stream;
  // Setting a stream as body makes Koa change type and length: set the headers again.
  ctx.set(headers);
  stream.once('error', () => ctx.res.destroy());
};
