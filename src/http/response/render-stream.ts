import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Reply, StreamBody } from '../../core/call/reply.ts';
import { ApiError } from '../../core/errors.ts';
import { acceptsGzip } from './compression.ts';
import { etagOf, gzipEtag, matchesEtag } from './etag.ts';
import { parseRange } from './range.ts';
import type { Rendered, RenderRequest } from './rendered.ts';

/**
 * Returns the response of a streamed body: the whole, compressed, or a range, uncompressed (RFC 9110, section 14).
 * Never in an envelope.
 * @throws ApiError range_not_satisfiable (416)
 */
export const renderStream = async (
  reply: Reply,
  body: StreamBody,
  common: Readonly<Record<string, string>>,
  { wire, tenantId, ifNoneMatch, acceptEncoding, range: asked, ifRange }: RenderRequest,
): Promise<Rendered> => {
  const etag = etagOf(tenantId ?? 0, body.version);
  const headers: Record<string, string> = { ...common, vary: 'Accept-Encoding', 'accept-ranges': 'bytes' };
  for (const [name, value] of Object.entries(reply.headers)) headers[name.toLowerCase()] = value;
  const gzip = acceptsGzip(acceptEncoding);
  const wholeEtag = gzip ? gzipEtag(etag) : etag;
  if (reply.status === 200 && ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag))
    return { status: 304, headers: { ...headers, etag: wholeEtag }, bytes: null };
  const type = { 'content-type': body.type };
  // Ranges refer to the uncompressed bytes: they cannot continue a partial download of the compressed form.
  const range = wire.method === 'GET' && (ifRange === undefined || ifRange.trim() === etag) ? asked : undefined;
  const part = parseRange(range, body.size);
  if (part === 'unsatisfiable')
    throw new ApiError('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${body.size}` } });
  if (part) {
    const length = String(part.end - part.start + 1);
    const place = { 'content-range': `bytes ${part.start}-${part.end}/${body.size}`, 'content-length': length };
    return {
      status: 206,
      headers: { ...headers, ...type, ...place, etag },
      bytes: null,
      stream: await body.open(part),
    };
  }
  const form = gzip ? { 'content-encoding': 'gzip' } : { 'content-length': String(body.size) };
  const whole = { status: reply.status, headers: { ...headers, ...type, ...form, etag: wholeEtag }, bytes: null };
  if (wire.method === 'HEAD') return { ...whole, stream: Readable.from([]) };
  const source = await body.open();
  return { ...whole, stream: gzip ? compressed(source) : source };
};

/** Returns the compressed stream; an error of the source destroys it, which its reader handles. */
const compressed = (source: Readable): Readable =>
  pipeline(
    source,
    createGzip({ level: 3 }).on('error', () => {}),
    () => {},
  );
