import type { Readable } from 'node:stream';
import type { ByteRange } from '../core/call/byte-range.ts';

/** An entry of a store's listing. */
export interface Blob {
  readonly key: string;
  readonly modified: Date;
}

/**
 * A storage of file contents by key: the tenant's id and an unguessable token, such as `7/5f0c…`.
 * An interface of its own, since common storage libraries neither read ranges nor flush writes to the disk.
 */
export interface Store {
  /** Moves or copies a complete, flushed temporary file into the storage, durably and atomically. */
  put(key: string, file: string): Promise<void>;
  /** Opens the content of a key, or a range of it; null if there is none. */
  read(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Deletes the content of a key, if it exists. */
  delete(key: string): Promise<void>;
  /** Lists the contents of a tenant. */
  list(tenantId: number): AsyncIterable<Blob>;
}
