import { etagHash, etagOf, etagOfHash, gzipEtag, matchesEtag } from '../../core/etag.ts';
import type { Body, Encodable, Reply, StreamBody } from '../../core/reply.ts';
import type { Wire } from '../request/wire.ts';
import { acceptsGzip, compress, compressKept } from './compression.ts';
import { encodeCallback, encodeEnvelope, envelopeMembers, type Headers } from './envelope.ts';
import { encodeRepresentation, encodeValue } from './json.ts';
import { spoolEnvelope, spoolListing } from './listing.ts';
import { renderStream } from './render-stream.ts';
import type { Rendered, Request } from './rendered.ts';
import type { Spool } from './spool.ts';
import { elementOf, encodeXml, envelopeElement } from './xml.ts';

const types = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  script: 'application/javascript; charset=utf-8',
};

/** A reply in the form that the request asked for; `common` are the headers that every answer has. */
export const renderReply = async (reply: Reply, common: Headers, request: Request): Promise<Rendered> => {
  const { wire } = request;
  const { body } = reply;
  if (body?.kind === 'listing') return renderListing(reply, body, common, request);
  if (body?.kind === 'stream') return renderStream(reply, body, common, request);
  const bare = body && encodeBare(body, wire.format);
  const gzip = bare !== null && acceptsGzip(request.acceptEncoding);
  const etag = bare && isSuccess(reply.status) && request.tenantId !== null ? etagOf(request.tenantId, bare) : null;
  const status = etag && isUnchanged(reply, etag, request) ? 304 : reply.status;
  const content = bare !== null && status !== 304 && status !== 204 ? bare : null;
  const headers = headersOf(reply, common, etag, content === null ? null : typeOf(body, wire), gzip);
  if (!wire.envelope || body?.kind === 'bytes') return finish(status, headers, content, gzip);
  const enveloped = encodeEnveloped(envelopeMembers(status, headers), content === null ? null : body, wire);
  const coded = acceptsGzip(request.acceptEncoding);
  return finish(200, outerHeaders(headers, wire, coded), enveloped, coded);
};

/** The same for a listing that is not held in memory. */
const renderListing = async (
  reply: Reply,
  body: Extract<Body, { kind: 'listing' }>,
  common: Headers,
  request: Request,
): Promise<Rendered> => {
  const { wire, tenantId, spooling } = request;
  const gzip = acceptsGzip(request.acceptEncoding);
  const newHash = () => etagHash(tenantId ?? 0);
  const { spool, hash } = await spoolListing(body, wire, gzip, newHash, spooling);
  const etag = etagOfHash(hash);
  const unchanged = isUnchanged(reply, etag, request);
  const status = unchanged ? 304 : reply.status;
  const headers = headersOf(reply, common, etag, unchanged ? null : types[wire.format], gzip);
  if (unchanged) await spool.close();
  if (!wire.envelope) return unchanged ? { status, headers, bytes: null } : spooled(status, headers, spool);
  const members = envelopeMembers(status, headers);
  const outer = outerHeaders(headers, wire, gzip);
  if (unchanged) return finish(200, outer, encodeEnveloped(members, null, wire), gzip);
  return spooled(200, outer, await spoolEnvelope(spool, body, members, wire, gzip, spooling));
};

const spooled = async (status: number, headers: Headers, spool: Spool): Promise<Rendered> => {
  const { bytes } = spool;
  if (bytes === null) return { status, headers, bytes, spool };
  await spool.close();
  return { status, headers, bytes };
};

/** The headers of a bare answer; `type` null: it has no body. */
const headersOf = (
  { headers: own }: Reply,
  common: Headers,
  etag: string | null,
  type: string | null,
  gzip: boolean,
): Headers => {
  const headers = lowerCase(own);
  return {
    ...common,
    ...headers,
    ...(common.link !== undefined && headers.link !== undefined && { link: `${common.link}, ${headers.link}` }),
    vary: 'Accept-Encoding',
    ...(etag && { etag: gzip ? gzipEtag(etag) : etag }),
    ...(type !== null && { 'content-type': type }),
    ...(type !== null && gzip && { 'content-encoding': 'gzip' }),
  };
};

/** The headers of an envelope, which has no tag of its own. */
const outerHeaders = ({ etag: _, ...headers }: Headers, { format, callback }: Wire, gzip: boolean): Headers => ({
  ...headers,
  'content-type': callback === null ? types[format] : types.script,
  ...(gzip && { 'content-encoding': 'gzip' }),
});

/** The entity tag that an answer with this body has, in that format, before compression. */
export const etagOfBody = (body: Encodable | StreamBody, format: Wire['format'], tenantId: number): string =>
  etagOf(tenantId, body.kind === 'stream' ? body.version : encodeBare(body, format));

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const isUnchanged = ({ status }: Reply, etag: string, { wire, ifNoneMatch }: Request): boolean =>
  status === 200 &&
  (wire.method === 'GET' || wire.method === 'HEAD') &&
  ifNoneMatch !== undefined &&
  matchesEtag(ifNoneMatch, etag);

const finish = async (
  status: number,
  headers: Headers,
  content: string | Buffer | null,
  gzip: boolean,
): Promise<Rendered> => {
  if (content === null) return { status, headers, bytes: null };
  if (typeof content !== 'string') return { status, headers, bytes: gzip ? await compressKept(content) : content };
  const bytes = Buffer.from(content);
  return { status, headers, bytes: gzip ? await compress(bytes) : bytes };
};

const typeOf = (body: Body | null, { format }: Wire): string => (body?.kind === 'bytes' ? body.type : types[format]);

const encodeBare = (body: Exclude<Body, { kind: 'listing' | 'stream' }>, format: Wire['format']): string | Buffer => {
  if (body.kind === 'bytes') return body.bytes;
  return format === 'xml' ? encodeXml(elementOf(body)) : encodeJson(body, 0);
};

const encodeJson = (body: Encodable, depth: number): string =>
  body.kind === 'rows' ? encodeRepresentation(body.representation, depth) : encodeValue(body.value, depth);

const encodeEnveloped = (
  members: ReturnType<typeof envelopeMembers>,
  body: Encodable | null,
  { format, callback }: Wire,
): string => {
  if (format === 'xml') return encodeXml(envelopeElement(members, body && elementOf(body)));
  const json = encodeEnvelope(members, body ? encodeJson(body, 1) : 'null');
  return callback === null ? json : encodeCallback(callback, json);
};

const lowerCase = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
