import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../core/byte-range.ts';
import type { Content, Intake } from '../core/content.ts';
import { ApiError } from '../core/errors.ts';
import { diskStore } from './disk-store.ts';
import { storageFailure } from './failure.ts';
import { takeIn, tooLarge } from './intake.ts';
import { detectType } from './mime.ts';
import { type S3Options, s3Store } from './s3-store.ts';
import type { Store } from './store.ts';

export interface FileOptions {
  /** Of temporary files and, without `s3`, of the contents. */
  readonly folder: string;
  /** Bytes of a file at most. */
  readonly limit: number;
  /** Null: the local disk. */
  readonly s3: S3Options | null;
}

/** The contents of files. */
export interface Files extends Intake {
  readonly store: Store;
  /** Folder of contents that are still arriving. */
  readonly temporary: string;
  /**
   * Opens a content, or a part of it.
   * @throws ApiError not_found (404), service_unavailable (503)
   */
  open(tenantId: number, path: string, range?: ByteRange): Promise<Readable>;
  remove(tenantId: number, path: string): Promise<void>;
}

/** The storage of files that the options describe. */
export const createFiles = ({ folder, limit, s3 }: FileOptions): Files => {
  const store = s3 ? s3Store(s3) : diskStore(join(folder, 'content'));
  const temporary = join(folder, 'temporary');
  return {
    store,
    temporary,
    receive: (tenantId, stream, length) => receive(tenantId, stream, length, { store, temporary, limit }),
    async open(tenantId, path, range) {
      const stream = await store.read(keyOf(tenantId, path), range).catch(fail);
      if (!stream) throw new ApiError('not_found', { message: 'The content of this file is lost.' });
      return stream;
    },
    remove: (tenantId, path) => store.delete(keyOf(tenantId, path)),
  };
};

/** Where a file's content lies. */
export const keyOf = (tenantId: number, path: string): string => `${tenantId}/${path}`;

const fail = (error: unknown): never => {
  throw storageFailure(error);
};

const receive = async (
  tenantId: number,
  stream: Readable,
  length: number | null,
  { store, temporary, limit }: { readonly store: Store; readonly temporary: string; readonly limit: number },
): Promise<Content> => {
  if (length !== null && length > limit) throw tooLarge(limit);
  const path = randomBytes(16).toString('hex');
  const { file, size, digest } = await takeIn(stream, temporary, path, limit);
  try {
    const detected = await detectType(file);
    const key = keyOf(tenantId, path);
    await store.put(key, file).catch(fail);
    return { path, size, digest, detected, discard: () => store.delete(key) };
  } finally {
    // A storage that has moved the file leaves none.
    await rm(file, { force: true });
  }
};
