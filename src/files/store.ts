import type { Readable } from 'node:stream';
import type { ByteRange } from '../core/byte-range.ts';

/** A stored content. */
export interface Blob {
  readonly key: string;
  readonly modified: Date;
}

/**
 * Where contents lie, by keys of two parts, the tenant's id and an unguessable token: `7/5f0c…`. All that a storage has to do; the
 * common storage libraries read no ranges and do not write through to the disk.
 */
export interface Store {
  /** Moves or copies a whole, flushed temporary file into the storage: afterwards the content is there for good, or not at all. */
  put(key: string, file: string): Promise<void>;
  /** Opens a content, or a part of it; null: there is none. */
  read(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes a content, if it is there. */
  delete(key: string): Promise<void>;
  /** The contents of a tenant. */
  list(tenantId: number): AsyncIterable<Blob>;
}
