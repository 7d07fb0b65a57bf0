import type { Readable } from 'node:stream';
import { acceptsGzip, compress, compressKept } from './compression.ts';
import { encodeCallback, encodeEnvelope, envelopeMembers, type Headers } from './envelope.ts';
import { etagOf, gzipEtag, matchesEtag } from './etag.ts';
import { encodeRepresentation, encodeValue } from './json.ts';
import { renderStream } from './render-stream.ts';
import type { Body, Reply, StreamBody } from './reply.ts';
import type { Wire } from './wire.ts';
import { elementOf, encodeXml, envelopeElement } from './xml.ts';

/** What rendering reads of the request, beside its Wire. */
export interface Request {
  readonly wire: Wire;
  /** Null: not known (yet); such an answer has no ETag. */
  readonly tenantId: number | null;
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

/** An answer as it goes out. */
export interface Rendered {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Headers;
  /** Null: no body at all. */
  readonly bytes: Buffer | null;
  /** In place of the bytes. */
  readonly stream?: Readable;
}

const types = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  script: 'application/javascript; charset=utf-8',
};

/** A reply in the form that the request asked for; `common` are the headers that every answer has. */
export const renderReply = async (reply: Reply, common: Headers, request: Request): Promise<Rendered> => {
  const { wire } = request;
  const { body } = reply;
  if (body?.kind === 'stream') return renderStream(reply, body, common, request);
  const bare = body && encodeBare(body, wire.format);
  const gzip = bare !== null && acceptsGzip(request.acceptEncoding);
  const etag = bare && isSuccess(reply.status) && request.tenantId !== null ? etagOf(request.tenantId, bare) : null;
  const status = etag && isUnchanged(reply, etag, request) ? 304 : reply.status;
  const content = bare !== null && status !== 304 && status !== 204 ? bare : null;
  const headers: Record<string, string> = {
    ...common,
    ...lowerCase(reply.headers),
    vary: 'Accept-Encoding',
    ...(etag && { etag: gzip ? gzipEtag(etag) : etag }),
    ...(content !== null && { 'content-type': typeOf(body, wire) }),
    ...(content !== null && gzip && { 'content-encoding': 'gzip' }),
  };
  if (!wire.envelope || body?.kind === 'bytes') return finish(status, headers, content, gzip);
  const { etag: _, ...outer } = headers;
  const enveloped = encodeEnveloped(envelopeMembers(status, headers), content === null ? null : body, wire);
  const coded = acceptsGzip(request.acceptEncoding);
  return finish(
    200,
    {
      ...outer,
      'content-type': wire.callback === null ? types[wire.format] : types.script,
      ...(coded && { 'content-encoding': 'gzip' }),
    },
    enveloped,
    coded,
  );
};

/** The entity tag that an answer with this body has, in that format, before compression. */
export const etagOfBody = (body: Body, format: Wire['format'], tenantId: number): string =>
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

const encodeBare = (body: Exclude<Body, StreamBody>, format: Wire['format']): string | Buffer => {
  if (body.kind === 'bytes') return body.bytes;
  return format === 'xml' ? encodeXml(elementOf(body)) : encodeJson(body, 0);
};

const encodeJson = (body: Exclude<Body, { kind: 'bytes' | 'stream' }>, depth: number): string =>
  body.kind === 'rows' ? encodeRepresentation(body.representation, depth) : encodeValue(body.value, depth);

const encodeEnveloped = (
  members: ReturnType<typeof envelopeMembers>,
  body: Exclude<Body, { kind: 'bytes' | 'stream' }> | null,
  { format, callback }: Wire,
): string => {
  if (format === 'xml') return encodeXml(envelopeElement(members, body && elementOf(body)));
  const json = encodeEnvelope(members, body ? encodeJson(body, 1) : 'null');
  return callback === null ? json : encodeCallback(callback, json);
};

const lowerCase = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
