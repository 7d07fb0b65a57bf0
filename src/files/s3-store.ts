import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Store } from './store.ts';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Of a service other than Amazon's. */
  readonly endpoint: string | null;
  /** Null: as the SDK finds them (environment, profile, the machine's role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** The bucket as part of the path, not of the host name. */
  readonly pathStyle: boolean;
  /** Before every key, such as `staffing/`. */
  readonly prefix: string;
  /** Milliseconds until an answer begins, if not 5,000; each request is tried twice. */
  readonly timeout?: number;
}

/** Bytes a millisecond that an upload may be as slow as. */
const slowest = 100;

/** Contents as objects of an S3-compatible storage. */
export const s3Store = (options: S3Options): Store => {
  const { bucket, region, endpoint, credentials, pathStyle, prefix, timeout = 5000 } = options;
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(credentials && { credentials }),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: timeout, requestTimeout: timeout, throwOnRequestTimeout: true },
    // It would write to the console; every failure is thrown as well.
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    // Many compatible storages know no others.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const object = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  return {
    async put(key, file) {
      const { size } = await stat(file);
      const body = createReadStream(file);
      try {
        const put = new PutObjectCommand({ ...object(key), Body: body, ContentLength: size });
        await client.send(put, { requestTimeout: timeout + size / slowest });
      } finally {
        body.destroy();
      }
    },
    async read(key, range) {
      try {
        const part = range && { Range: `bytes=${range.start}-${range.end}` };
        const { Body } = await client.send(new GetObjectCommand({ ...object(key), ...part }));
        return Body instanceof Readable ? Body : null;
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(object(key)));
    },
    async *list(tenantId) {
      let token: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}${tenantId}/`, ContinuationToken: token }),
        );
        for (const { Key, LastModified } of page.Contents ?? [])
          if (Key && LastModified) yield { key: Key.slice(prefix.length), modified: LastModified };
        token = page.NextContinuationToken;
      } while (token);
    },
  };
};
