import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError } from '../../core/errors.ts';

export interface SpoolLimits {
  /** Temporary files at once. */
  readonly files: number;
  /** Bytes of all of them. */
  readonly bytes: number;
  /** Bytes that a spool keeps in memory before it takes a file. */
  readonly threshold?: number;
  /** Where the files lie; the system's folder for temporary files. */
  readonly folder?: string;
}

const threshold = 1_048_576;

/** All spools of a server: their files are limited in number and in size together. */
export class Spools {
  readonly limits: Required<SpoolLimits>;
  #files = 0;
  #bytes = 0;

  constructor(limits: SpoolLimits) {
    this.limits = { threshold, folder: tmpdir(), ...limits };
  }

  /** What is taken at the moment. */
  get usage(): { readonly files: number; readonly bytes: number } {
    return { files: this.#files, bytes: this.#bytes };
  }

  open(): Spool {
    return new Spool(this);
  }

  /** @throws ApiError service_unavailable (503) */
  take(files: number, bytes: number): void {
    if (this.#files + files > this.limits.files || this.#bytes + bytes > this.limits.bytes)
      throw new ApiError('service_unavailable', { message: 'Too much is being listed at the moment.' });
    this.give(-files, -bytes);
  }

  give(files: number, bytes: number): void {
    this.#files -= files;
    this.#bytes -= bytes;
  }
}

/**
 * Bytes that are written once, then read: in memory while they are few, past that in a temporary file. The file has no name from
 * the moment that it is open, so that it goes with its handle, whatever happens to the process.
 */
export class Spool {
  readonly #spools: Spools;
  #chunks: Buffer[] = [];
  #file: FileHandle | null = null;
  #closed = false;
  length = 0;

  constructor(spools: Spools) {
    this.#spools = spools;
  }

  async write(chunk: Buffer): Promise<void> {
    if (this.#closed) throw new Error('The spool is closed.');
    if (!this.#file && this.length + chunk.length <= this.#spools.limits.threshold) {
      this.#chunks.push(chunk);
      this.length += chunk.length;
      return;
    }
    this.#file ??= await this.#openFile();
    this.#spools.take(0, chunk.length);
    this.length += chunk.length;
    await writeWhole(this.#file, chunk);
  }

  async #openFile(): Promise<FileHandle> {
    this.#spools.take(1, this.length);
    const path = join(this.#spools.limits.folder, `staffing-${randomUUID()}`);
    let file: FileHandle | undefined;
    try {
      file = await open(path, 'wx+', 0o600);
      await unlink(path);
      for (const chunk of this.#chunks.splice(0)) await writeWhole(file, chunk);
      return file;
    } catch (error) {
      this.#spools.give(1, this.length);
      await file?.close();
      // The disk is full, or has no place for it.
      throw new ApiError('service_unavailable', { cause: error });
    }
  }

  /** All bytes, if they are in memory. */
  get bytes(): Buffer | null {
    return this.#file ? null : Buffer.concat(this.#chunks);
  }

  /** The bytes of the file. */
  stream(): Readable {
    if (!this.#file) throw new Error('The spool is in memory.');
    return this.#file.createReadStream({ start: 0, autoClose: false });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#chunks = [];
    if (!this.#file) return;
    this.#spools.give(1, this.length);
    await this.#file.close();
  }
}

const writeWhole = async (file: FileHandle, chunk: Buffer): Promise<void> => {
  try {
    for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done)).bytesWritten;
  } catch (error) {
    throw new ApiError('service_unavailable', { cause: error });
  }
};
