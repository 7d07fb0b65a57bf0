import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder } from '../core/disk/folders.ts';
import { ApiError } from '../core/errors.ts';
import { storageFailure } from './failure.ts';

/** A completely received upload, flushed to a temporary file. */
export interface TemporaryFile {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

/**
 * Writes a stream to a temporary file and flushes it; removes the file on any failure.
 * @param limit maximum size in bytes
 * @throws ApiError payload_too_large (413), service_unavailable (503); the stream's own errors
 */
export const writeTemporary = async (
  stream: Readable,
  folder: string,
  name: string,
  limit: number,
): Promise<TemporaryFile> => {
  const file = join(folder, name);
  const handle = await openNew(folder, file);
  try {
    const written = { file, ...(await writeAll(stream, handle, limit)) };
    await handle.sync().catch(failed);
    await handle.close();
    return written;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(file, { force: true });
    throw error;
  }
};

const failed = (error: unknown): never => {
  throw storageFailure(error);
};

const openNew = async (folder: string, file: string): Promise<FileHandle> => {
  try {
    makeFolder(folder, 0o700);
    return await open(file, 'wx', 0o600);
  } catch (error) {
    return failed(error);
  }
};

const writeAll = async (stream: Readable, handle: FileHandle, limit: number) => {
  const hash = createHash('sha256');
  let size = 0;
  // A stream that is not read to its end stays open: the response takes the same connection.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    hash.update(chunk);
    await writeWhole(handle, chunk).catch(failed);
  }
  return { size, digest: hash.digest('hex') };
};

/** Writes all bytes: repeats partial writes, which happen for example when the disk is nearly full. */
export const writeWhole = async (handle: FileHandle, chunk: Buffer): Promise<void> => {
  let written = 0;
  while (written < chunk.length) written += (await handle.write(chunk, written)).bytesWritten;
};

/**
 * The error (413) for a body larger than the limit.
 * @param limit bytes
 */
export const tooLarge = (limit: number): ApiError =>
  new ApiError('payload_too_large', { message: `The body is larger than ${limit} bytes.` });
