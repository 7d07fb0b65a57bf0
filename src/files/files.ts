import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../core/call/byte-range.ts';
import type { Content, Intake } from '../core/call/content.ts';
import { ApiError } from '../core/errors.ts';
import { diskStore } from './disk-store.ts';
import { exactly } from './exactly.ts';
import { storageFailure } from './failure.ts';
import { tooLarge, writeTemporary } from './intake.ts';
import { detectType } from './mime.ts';
import type { S3Options } from './s3-store.ts';
import type { Store } from './store.ts';

/** The options of `createFiles`. */
export interface FileOptions {
  /** Folder of temporary files and, without `s3`, of the stored contents. */
  readonly folder: string;
  /** Maximum size of a file in bytes. */
  readonly limit: number;
  /** Null: the local disk. */
  readonly s3: S3Options | null;
}

/** The storage of file contents. */
export interface Files extends Intake {
  /**
   * Receives and stores a raw body, as in `Intake`.
   * `path` is the token that it is stored under, by default a new one.
   */
  receive(tenantId: number, stream: Readable, length: number | null, path?: string): Promise<Content>;
  /** Returns the intake of bodies with another maximum size in bytes. */
  limitedTo(limit: number): Intake;
  readonly store: Store;
  /** Folder of uploads in progress. */
  readonly temporary: string;
  /**
   * Opens a file's content, or a range of it.
   * The stream fails if the storage has another number of bytes.
   * @throws ApiError not_found (404), service_unavailable (503)
   */
  open(tenantId: number, content: Pick<Content, 'path' | 'size'>, range?: ByteRange): Promise<Readable>;
  /**
   * Deletes the content of a file that has no record any more.
   * Does not fail: the sweeper removes what is left.
   */
  remove(tenantId: number, path: string): Promise<void>;
}

/** Creates the storage that the options describe. */
export const createFiles = async ({ folder, limit, s3 }: FileOptions): Promise<Files> => {
  // The client of S3 is large, and most servers have no use for it.
  const store = s3 ? (await import('./s3-store.ts')).s3Store(s3) : diskStore(join(folder, 'content'));
  const temporary = join(folder, 'temporary');
  return {
    store,
    temporary,
    limitedTo: limit => ({
      receive: (tenantId, stream, length) =>
        receive(tenantId, stream, length, { store, temporary, limit, path: newPath() }),
    }),
    receive: (tenantId, stream, length, path = newPath()) =>
      receive(tenantId, stream, length, { store, temporary, limit, path }),
    async open(tenantId, { path, size }, range) {
      const stream = await store.read(keyOf(tenantId, path), range).catch(fail);
      if (!stream) throw new ApiError('not_found', { message: 'The content of this file is missing in the storage.' });
      return exactly(range ? range.end - range.start + 1 : size, stream);
    },
    remove: (tenantId, path) => discard(keyOf(tenantId, path), store),
  };
};

const newPath = (): string => randomBytes(16).toString('hex');

/** The storage key of a file's content. */
export const keyOf = (tenantId: number, path: string): string => `${tenantId}/${path}`;

/** Deletes content without a record: what remains if this fails takes room only until the next sweep. */
const discard = (key: string, store: Store): Promise<void> => store.delete(key).catch(() => {});

const fail = (error: unknown): never => {
  throw storageFailure(error);
};

const receive = async (
  tenantId: number,
  stream: Readable,
  length: number | null,
  {
    store,
    temporary,
    limit,
    path,
  }: Pick<Files, 'store' | 'temporary'> & { readonly limit: number; readonly path: string },
): Promise<Content> => {
  if (length !== null && length > limit) throw tooLarge(limit);
  const { file, size, digest } = await writeTemporary(stream, temporary, newPath(), limit);
  try {
    const detected = await detectType(file);
    const key = keyOf(tenantId, path);
    await store.put(key, file).catch(fail);
    return { path, size, digest, detected, discard: () => discard(key, store) };
  } finally {
    // Does nothing if the storage has moved the file.
    await rm(file, { force: true });
  }
};
