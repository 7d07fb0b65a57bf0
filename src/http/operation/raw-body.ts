import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { RawContent } from '../../core/call.ts';
import type { Intake } from '../../core/content.ts';
import { ApiError } from '../../core/errors.ts';
import { expectProgress } from '../connection/pace.ts';
import { isGzip } from './body.ts';

/** A body of any bytes, as its operation is told of it, and how the request ends for it. */
export interface RawBody {
  readonly content: RawContent;
  /** To be called after the operation: removes the content unless it was kept. */
  settle(succeeded: boolean): Promise<void>;
}

/**
 * Takes in a request's body of any bytes, as it is or compressed with gzip, without holding more than a part of it in memory.
 * @throws ApiError unsupported_media_type (415), payload_too_large (413), service_unavailable (503)
 */
export const receiveRaw = async (request: IncomingMessage, tenantId: number, intake: Intake): Promise<RawBody> => {
  const { 'content-type': type, 'content-encoding': coding, 'content-length': length } = request.headers;
  const gzip = isGzip(coding);
  expectProgress(request);
  const announced = gzip || length === undefined ? null : Number(length);
  const { discard, ...content } = await intake
    .receive(tenantId, gzip ? inflated(request) : request, announced)
    .catch((error: unknown) => {
      throw translate(error);
    });
  let kept = false;
  return {
    content: {
      ...content,
      type: type ?? null,
      keep: () => {
        kept = true;
      },
    },
    settle: async succeeded => {
      if (!(succeeded && kept)) await discard();
    },
  };
};

const inflated = (request: IncomingMessage): Readable => pipeline(request, createGunzip(), () => {});

const translate = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('Z_'))
    return new ApiError('unsupported_media_type', { message: 'The body is not valid gzip.', cause: error });
  // The client has gone: no one reads the answer.
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new ApiError('malformed_json', { message: 'The body did not arrive whole.', cause: error });
  return error;
};
