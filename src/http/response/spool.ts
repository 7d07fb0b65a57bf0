import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError } from '../../core/errors.ts';
import { writeWhole } from '../../files/intake.ts';

export interface SpoolLimits {
  /** Maximum number of temporary files at a time. */
  readonly files: number;
  /** Maximum bytes of all temporary files together. */
  readonly bytes: number;
  /** Bytes that a spool keeps in memory before it uses a file. */
  readonly threshold?: number;
  /** The folder of the files; by default the system's folder for temporary files. */
  readonly folder?: string;
}

const threshold = 1_048_576;

/** Creates the spools of a server, and limits the number and total size of their files. */
export class Spools {
  readonly limits: Required<SpoolLimits>;
  #files = 0;
  #bytes = 0;

  constructor(limits: SpoolLimits) {
    this.limits = { threshold, folder: tmpdir(), ...limits };
  }

  /** The current usage. */
  get usage(): { readonly files: number; readonly bytes: number } {
    return { files: this.#files, bytes: this.#bytes };
  }

  /** Returns a new spool. */
  open(): Spool {
    return new Spool(this);
  }

  /** Reserves files and bytes. @throws ApiError service_unavailable (503) if the limits are exceeded */
  reserve(files: number, bytes: number): void {
    if (this.#files + files > this.limits.files || this.#bytes + bytes > this.limits.bytes)
      throw new ApiError('service_unavailable', {
        message: 'Too many long listings are in progress. Try again later.',
      });
    this.release(-files, -bytes);
  }

  /** Releases reserved files and bytes. */
  release(files: number, bytes: number): void {
    this.#files -= files;
    this.#bytes -= bytes;
  }
}

/**
 * Bytes that are written once, then read: in memory up to a threshold, beyond it in a temporary file.
 * The file is unlinked as soon as it is open, so that it disappears with its handle even if the process crashes.
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

  /** Adds bytes. @throws ApiError service_unavailable (503) beyond limits, or if the disk fails */
  async write(chunk: Buffer): Promise<void> {
    if (this.#closed) throw new Error('The spool is closed.');
    if (!this.#file && this.length + chunk.length <= this.#spools.limits.threshold) {
      this.#chunks.push(chunk);
      this.length += chunk.length;
      return;
    }
    this.#file ??= await this.#openFile();
    this.#spools.reserve(0, chunk.length);
    this.length += chunk.length;
    await writeWhole(this.#file, chunk).catch((cause: unknown) => {
      throw new ApiError('service_unavailable', { cause });
    });
  }

  async #openFile(): Promise<FileHandle> {
    this.#spools.reserve(1, this.length);
    const path = join(this.#spools.limits.folder, `staffing-${randomUUID()}`);
    let file: FileHandle | undefined;
    try {
      file = await open(path, 'wx+', 0o600);
      await unlink(path);
      for (const chunk of this.#chunks.splice(0)) await writeWhole(file, chunk);
      return file;
    } catch (error) {
      this.#spools.release(1, this.length);
      await file?.close();
      // The disk is full or the folder is not writable.
      throw new ApiError('service_unavailable', { cause: error });
    }
  }

  /** All bytes if they are in memory, otherwise null. */
  get bytes(): Buffer | null {
    return this.#file ? null : Buffer.concat(this.#chunks);
  }

  /** Returns the bytes of the file as a stream. */
  stream(): Readable {
    if (!this.#file) throw new Error('The spool is in memory.');
    return this.#file.createReadStream({ start: 0, autoClose: false });
  }

  /** Frees memory and file; further calls have no effect. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#chunks = [];
    if (!this.#file) return;
    this.#spools.release(1, this.length);
    await this.#file.close();
  }
}
