import { Readable } from 'node:stream';
import type { Body, Encodable, Listing, ReadyBody, Reply, Rows, StreamBody } from '../../core/call/reply.ts';
import { ApiError } from '../../core/errors.ts';
import type { Wire } from '../request/wire.ts';
import { acceptsGzip, compress, compressKept, compressStream } from './compression.ts';
import { envelopeMembers, type Headers } from './envelope.ts';
import { etagHash, etagOf, matchesEtag } from './etag.ts';
import type { EnvelopeFormat, EnvelopeMembers, Format, FormatSettings } from './formats.ts';
import { encodeListing, type SpoolOptions, spoolEnvelope, spoolListing } from './listing.ts';
import { parseRange } from './range.ts';
import type { Spool } from './spool.ts';

/** The parts of a request that rendering depends on. */
export interface RenderRequest {
  readonly wire: Wire;
  /** Null if the tenant is unknown: such a response has no ETag. */
  readonly tenantId: number | null;
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly spooling: SpoolOptions;
  readonly settings: FormatSettings;
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

/** A response in its final form. */
export interface Rendered {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Headers;
  /** Null: no body, or one of the two below. */
  readonly bytes: Buffer | null;
  /** A body in a temporary file, instead of bytes; the sender closes it. */
  readonly spool?: Spool;
  /** A streamed body, instead of bytes. */
  readonly stream?: Readable;
}

/** Renders a reply as the request asks; `common` are the headers of every response. */
export const renderReply = async (reply: Reply, common: Headers, request: RenderRequest): Promise<Rendered> => {
  const { wire } = request;
  const { body } = reply;
  if (body?.kind === 'listing') return renderListing(reply, body, common, request);
  if (body?.kind === 'stream') return renderStream(reply, body, common, request);
  if (body?.kind === 'ready') return renderReady(reply, body, common, request);
  const bare = body && (await encodeBare(body, wire.format, request.settings));
  const gzip = bare !== null && acceptsGzip(request.acceptEncoding);
  const tagged = bare !== null && isSuccess(reply.status) && request.tenantId !== null;
  const etag = tagged ? etagOf(etagHash(request.tenantId).update(bare)) : null;
  const status = etag && isUnchanged(reply, etag, request) ? 304 : reply.status;
  const content = bare !== null && status !== 304 && status !== 204 ? bare : null;
  const headers = headersOf(reply, common, etag, content === null ? null : typeOf(body, wire), gzip);
  if (body?.kind === 'bytes') return finish(status, headers, content, gzip, compressKept);
  if (!wire.envelope) return finish(status, headers, content, gzip);
  const envelope = envelopeOf(wire);
  const enveloped = await encodeEnveloped(envelope, envelopeMembers(status, headers), content === null ? null : body);
  const coded = acceptsGzip(request.acceptEncoding);
  return finish(200, outerHeaders(headers, envelope, coded), enveloped, coded);
};

/** Returns a body encoded for repetitions of a request without envelope. */
export const readyBody = async (
  body: Rows,
  format: Format,
  {
    tenantId,
    gzip,
    settings,
  }: { readonly tenantId: number; readonly gzip: boolean; readonly settings: FormatSettings },
): Promise<ReadyBody> => {
  const bare = await encodeBare(body, format, settings);
  const type = (isListing(body) ? format.listing : format.response).contentType;
  const plain = typeof bare === 'string' ? Buffer.from(bare) : bare;
  const sent = gzip ? await compress(plain) : plain;
  // A copy: they may be part of a larger buffer that would be kept.
  const bytes = Buffer.allocUnsafeSlow(sent.length);
  sent.copy(bytes);
  return { kind: 'ready', type, etag: etagOf(etagHash(tenantId).update(bare)), gzip, bytes };
};

const renderReady = (reply: Reply, body: ReadyBody, common: Headers, request: RenderRequest): Rendered => {
  const { type, etag, gzip, bytes } = body;
  const unchanged = isUnchanged(reply, etag, request);
  const headers = headersOf(reply, common, etag, unchanged ? null : type, gzip);
  return { status: unchanged ? 304 : reply.status, headers, bytes: unchanged ? null : bytes };
};

/** Renders a listing that is read in batches instead of being held in memory. */
const renderListing = async (
  reply: Reply,
  body: Listing,
  common: Headers,
  request: RenderRequest,
): Promise<Rendered> => {
  const { wire, tenantId, spooling, settings } = request;
  const gzip = acceptsGzip(request.acceptEncoding);
  const format = wire.format.listing;
  const envelope = wire.envelope ? envelopeOf(wire) : null;
  const form = { parts: () => format.listing(body.representation, settings), envelope, gzip };
  const { spool, hash } = await spoolListing(body, form, () => etagHash(tenantId ?? 0), spooling);
  const etag = etagOf(hash);
  const unchanged = isUnchanged(reply, etag, request);
  const status = unchanged ? 304 : reply.status;
  const headers = headersOf(reply, common, etag, unchanged ? null : format.contentType, gzip);
  if (unchanged) await spool.close();
  if (!envelope) return unchanged ? { status, headers, bytes: null } : spooled(status, headers, spool);
  const members = envelopeMembers(status, headers);
  const outer = outerHeaders(headers, envelope, gzip);
  if (unchanged) return finish(200, outer, envelope.encode(members, null), gzip);
  return spooled(200, outer, await spoolEnvelope(spool, body, members, envelope, gzip, spooling));
};

const spooled = async (status: number, headers: Headers, spool: Spool): Promise<Rendered> => {
  const { bytes } = spool;
  if (bytes === null) return { status, headers, bytes, spool };
  await spool.close();
  return { status, headers, bytes };
};

/**
 * Returns the response of a streamed body.
 * The whole, compressed, or a range, uncompressed (RFC 9110, section 14). Never in an envelope.
 * @throws ApiError range_not_satisfiable (416)
 */
const renderStream = async (
  reply: Reply,
  body: StreamBody,
  common: Headers,
  request: RenderRequest,
): Promise<Rendered> => {
  const { wire, tenantId, acceptEncoding, ifRange } = request;
  const { size, type } = body;
  const etag = etagOf(etagHash(tenantId ?? 0).update(body.version));
  const ranged = { ...common, 'accept-ranges': 'bytes' };
  const gzip = acceptsGzip(acceptEncoding);
  if (isUnchanged(reply, etag, request))
    return { status: 304, headers: headersOf(reply, ranged, etag, null, gzip), bytes: null };
  // Ranges refer to the uncompressed bytes: they cannot continue a partial download of the compressed form.
  const isRange = wire.method === 'GET' && (ifRange === undefined || ifRange.trim() === etag);
  const part = parseRange(isRange ? request.range : undefined, size);
  if (part === 'unsatisfiable')
    throw new ApiError('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${size}` } });
  const length = part ? part.end - part.start + 1 : size;
  const headers = {
    ...headersOf(reply, ranged, etag, type, gzip && !part),
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${size}` }),
    ...(!(gzip && !part) && { 'content-length': String(length) }),
  };
  if (part) return { status: 206, headers, bytes: null, stream: await body.open(part) };
  const { status } = reply;
  if (wire.method === 'HEAD') return { status, headers, bytes: null, stream: Readable.from([]) };
  const source = await body.open();
  return { status, headers, bytes: null, stream: gzip ? compressStream(source) : source };
};

/** Returns the headers of a response without envelope; `type` null: no body. */
const headersOf = (
  { headers: own }: Reply,
  common: Headers,
  etag: string | null,
  type: string | null,
  gzip: boolean,
): Headers => {
  const headers: Headers = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...common,
    ...headers,
    ...(common.link !== undefined && headers.link !== undefined && { link: `${common.link}, ${headers.link}` }),
    vary: 'Accept-Encoding',
    // That of the gzip encoding must differ (RFC 9110, section 8.8.3.3).
    ...(etag && { etag: gzip ? `${etag.slice(0, -1)}-gzip"` : etag }),
    ...(type !== null && { 'content-type': type }),
    ...(type !== null && gzip && { 'content-encoding': 'gzip' }),
  };
};

/** Returns the headers of an envelope, which has no entity tag of its own. */
const outerHeaders = ({ etag: _, ...headers }: Headers, { contentType }: EnvelopeFormat, gzip: boolean): Headers => ({
  ...headers,
  'content-type': contentType,
  ...(gzip && { 'content-encoding': 'gzip' }),
});

const envelopeOf = ({ format, callback }: Wire): EnvelopeFormat => {
  const { envelope, script } = format.response;
  return callback !== null && script ? script(callback) : envelope;
};

/** Returns the entity tag of a response with this body in that format, before compression. */
export const etagOfBody = (body: Encodable | StreamBody, format: Format, tenantId: number): string =>
  etagOf(etagHash(tenantId).update(body.kind === 'stream' ? body.version : format.response.encode(body)));

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const isUnchanged = ({ status }: Reply, etag: string, { wire, ifNoneMatch }: RenderRequest): boolean =>
  status === 200 &&
  (wire.method === 'GET' || wire.method === 'HEAD') &&
  ifNoneMatch !== undefined &&
  matchesEtag(ifNoneMatch, etag);

const finish = async (
  status: number,
  headers: Headers,
  content: string | Buffer | null,
  gzip: boolean,
  coded = compress,
): Promise<Rendered> => {
  if (content === null) return { status, headers, bytes: null };
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { status, headers, bytes: gzip ? await coded(bytes) : bytes };
};

const typeOf = (body: Body | null, { format }: Wire): string => {
  if (body?.kind === 'bytes') return body.type;
  return (isListing(body) ? format.listing : format.response).contentType;
};

const isListing = (body: Body | null): body is Extract<Body, { kind: 'rows' }> =>
  body?.kind === 'rows' && body.representation.many;

const encodeBare = async (
  body: Exclude<Body, { kind: 'listing' | 'ready' | 'stream' }>,
  format: Format,
  settings: FormatSettings,
): Promise<string | Buffer> => {
  if (body.kind === 'bytes') return body.bytes;
  if (!isListing(body)) return format.response.encode(body);
  const { representation } = body;
  return encodeListing(format.listing.listing(representation, settings), representation.records);
};

const encodeEnveloped = async (
  envelope: EnvelopeFormat,
  members: EnvelopeMembers,
  body: Encodable | null,
): Promise<string> => {
  if (!isListing(body)) return envelope.encode(members, body);
  const { representation } = body;
  const [before, after] = envelope.around(members, representation);
  const listing = await encodeListing({ begin: '', ...envelope.listing(representation) }, representation.records);
  return before + listing.toString() + after;
};
