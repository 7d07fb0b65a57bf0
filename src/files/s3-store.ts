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

/** The options of `s3Store`. */
export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** URL of an S3-compatible service; null: Amazon S3. */
  readonly endpoint: string | null;
  /** Null: the SDK's default chain (environment, profile, instance role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Whether the bucket is part of the path instead of the host name. */
  readonly pathStyle: boolean;
  /** Prefix of every key, such as `staffing/`. */
  readonly prefix: string;
  /** Milliseconds to wait for a response, default 5,000; each request is tried twice. */
  readonly timeout?: number;
}

/** Slowest accepted upload, in bytes per millisecond. */
const minimumRate = 100;

/** A store of objects in an S3-compatible service. */
export const s3Store = (options: S3Options): Store => {
  const { bucket, region, endpoint, credentials, pathStyle, prefix, timeout = 5000 } = options;
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== null && { endpoint }),
    // A copy: the SDK writes to it, and the configuration is frozen.
    ...(credentials && { credentials: { ...credentials } }),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: timeout, requestTimeout: timeout, throwOnRequestTimeout: true },
    // The SDK would log to the console; every failure is thrown as well.
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    // Many compatible services do not support optional checksums.
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
        await client.send(put, { requestTimeout: timeout + size / minimumRate });
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
