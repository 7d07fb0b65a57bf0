import type { IncomingMessage } from 'node:http';
import { MIMEType, promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import getRawBody from 'raw-body';
import { ApiError } from '../../core/errors.ts';
import { type ParsedObject, parseObject } from '../../core/json/object.ts';

export interface BodyLimits {
  /** Maximum number of bytes after decompression. */
  readonly body: number;
  /** Maximum levels of nesting. */
  readonly jsonDepth: number;
}

export const noBody: ParsedObject = { value: {}, inexact: [] };

/**
 * Returns a request's body: one JSON object in UTF-8, plain or gzip.
 * A missing optional body is returned as an empty object. See docs/decisions.md, "Requests".
 * @throws ApiError unsupported_media_type (415), payload_too_large (413), malformed_json (400)
 */
export const readBody = async (
  request: IncomingMessage,
  limits: BodyLimits,
  required = true,
): Promise<ParsedObject> => {
  const { headers } = request;
  if (!required && headers['content-type'] === undefined && !hasBody(request)) return noBody;
  const parse = bodyParser(headers, limits);
  const raw = await readBytes(request, limits.body);
  return !required && raw.length === 0 ? noBody : parse(raw);
};

/**
 * Returns what parses the bytes of a JSON body with these headers.
 * @throws ApiError unsupported_media_type (415); the returned function payload_too_large (413), malformed_json (400)
 */
export const bodyParser = (
  { 'content-type': type = '', 'content-encoding': coding }: IncomingMessage['headers'],
  { body: limit, jsonDepth }: BodyLimits,
): ((bytes: Uint8Array) => Promise<ParsedObject>) => {
  if (!isJson(type)) throw new ApiError('unsupported_media_type');
  const gzip = isGzip(coding);
  return async bytes => parseObject(gzip ? await inflate(bytes, limit) : bytes, jsonDepth);
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether a Content-Type is JSON in UTF-8, with any other parameters. */
const isJson = (header: string): boolean => {
  const type = parseType(header);
  return type?.essence === 'application/json' && (type.params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
};

/** Returns the parts of a Content-Type; null: it is no MIME type. */
export const parseType = (header: string): MIMEType | null => {
  try {
    return new MIMEType(header);
  } catch {
    return null;
  }
};

/** Returns whether a Content-Encoding is gzip. @throws ApiError unsupported_media_type (415) */
export const isGzip = (coding: string | undefined): boolean => {
  const name = coding?.trim().toLowerCase() || 'identity';
  if (name !== 'gzip' && name !== 'identity') throw new ApiError('unsupported_media_type');
  return name === 'gzip';
};

const malformed = (message?: string, cause?: unknown): ApiError =>
  new ApiError('malformed_json', { ...(message && { message }), cause });

const readBytes = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  try {
    return await getRawBody(request, { limit, length: request.headers['content-length'] ?? null });
  } catch (error) {
    if (typeOf(error) === 'entity.too.large') throw new ApiError('payload_too_large', { cause: error });
    throw malformed('The body is incomplete.', error);
  }
};

const typeOf = (error: unknown): unknown => (error instanceof Error && 'type' in error ? error.type : undefined);

const unzip = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);

const inflate = async (raw: Uint8Array, limit: number): Promise<Buffer> => {
  const bytes = await unzip(raw, { maxOutputLength: limit }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw new ApiError('payload_too_large', { cause: error });
    throw malformed('The body is not valid gzip.', error);
  });
  // The last four bytes hold the length: it differs if a second member or other data follows the first member.
  if (
    raw.length < 18 ||
    Buffer.from(raw.buffer, raw.byteOffset, raw.length).readUInt32LE(raw.length - 4) !== bytes.length
  )
    throw malformed('The body must be exactly one gzip member.');
  return bytes;
};
