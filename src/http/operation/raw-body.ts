import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { RawContent } from '../../core/call/call.ts';
import type { Content, Intake } from '../../core/call/content.ts';
import { ApiError } from '../../core/errors.ts';
import { isUncertain } from '../../db/errors.ts';
import { expectProgress } from '../connection/pace.ts';
import { isGzip, parseType } from './body.ts';
import type { Operation } from './operation.ts';

/**
 * Checks that the Content-Type is one that the operation takes, in UTF-8.
 * @throws ApiError unsupported_media_type (415)
 */
export const requireMediaType = ({ requestBody }: Operation, { headers }: IncomingMessage): void => {
  const taken = Object.keys(requestBody?.content ?? {});
  if (taken.includes('*/*')) return;
  const type = parseType(headers['content-type'] ?? '');
  if (type && taken.includes(type.essence) && /^utf-?8$/i.test(type.params.get('charset') ?? 'utf-8')) return;
  throw new ApiError('unsupported_media_type', {
    message: `The Content-Type must be ${taken.join(' or ')}, in UTF-8.`,
    description: 'Send one of these types, uncompressed or compressed with gzip.',
  });
};

/**
 * Stores a request's raw body (plain or gzip) as a stream, then returns the result of `work`.
 * The stored content is removed unless `work` calls `keep` and succeeds.
 * @throws ApiError malformed_request (400), unsupported_media_type (415), payload_too_large (413), service_unavailable (503)
 */
export const withRawBody = async <T>(
  request: IncomingMessage,
  tenantId: number,
  intake: Intake,
  work: (content: RawContent) => Promise<T>,
): Promise<T> => {
  const { discard, ...content } = await receive(request, tenantId, intake);
  let kept = false;
  const keep = () => {
    kept = true;
  };
  let result: T;
  try {
    result = await work({ ...content, type: request.headers['content-type'] ?? null, keep });
  } catch (error) {
    if (!isUncertain(error)) await discard();
    throw error;
  }
  if (!kept) await discard();
  return result;
};

const receive = async (request: IncomingMessage, tenantId: number, intake: Intake): Promise<Content> => {
  const { 'content-encoding': coding, 'content-length': length } = request.headers;
  const gzip = isGzip(coding);
  expectProgress(request);
  const declared = gzip || length === undefined ? null : Number(length);
  return intake.receive(tenantId, gzip ? inflated(request) : request, declared).catch((error: unknown) => {
    throw translate(error);
  });
};

/**
 * Returns the request's body, decompressed.
 * The reader of the stream receives its errors; the listener is needed until there is a reader, because an error
 * without a listener would end the process.
 */
const inflated = (request: IncomingMessage): Readable => {
  const gunzip = createGunzip().on('error', () => {});
  // Not a pipeline: its failure would end the connection, and the response with it.
  request.once('close', () => {
    if (!gunzip.writableEnded) gunzip.destroy(incomplete());
  });
  return request.pipe(gunzip);
};

const incomplete = () => Object.assign(new Error('The body is incomplete.'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

const translate = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('Z_'))
    return new ApiError('malformed_request', { message: 'The body is not valid gzip.', cause: error });
  // The client has disconnected: the response is never read.
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new ApiError('malformed_json', { message: 'The body is incomplete.', cause: error });
  return error;
};
