import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { makeFolder } from '../../core/disk/folders.ts';
import { LockedError, takeLock } from './lock-file.ts';
import { type CompiledProgram, program } from './program.ts';
import { systemError } from './system-error.ts';

/** The embedded database cannot be opened; the message states the reason and what to do. */
export class EmbeddedDatabaseError extends Error {
  override readonly name: string = 'EmbeddedDatabaseError';
}

/** Another process has the embedded database open. */
export class DatabaseInUseError extends EmbeddedDatabaseError {}

/** The data directory of a database that exists in memory only. */
const IN_MEMORY = 'memory://';

/**
 * PGlite in a worker thread, for one process and one connection at a time.
 * `stream` returns what `pg` uses as a socket. Closing the connection closes the database and ends the thread; the next connection
 * opens it again.
 */
export class EmbeddedDatabase {
  readonly #dataDir: string;
  readonly #template: Uint8Array | null;
  readonly #release: () => void;
  #last: Promise<void> = Promise.resolve();

  /**
   * @param dataDir folder that holds the database's folder and lock file, or IN_MEMORY.
   * @param template the files with which a new database begins, as a tar archive of PGlite; null: an empty database
   * @throws EmbeddedDatabaseError if another process has the database open or its folder is not a complete database.
   */
  constructor(dataDir: string, template: Uint8Array | null = null) {
    this.#template = template;
    if (dataDir === IN_MEMORY) {
      this.#dataDir = IN_MEMORY;
      this.#release = () => {};
      return;
    }
    // For files that PGlite creates while running; `restrictAccess` handles the files that it unpacks.
    process.umask(0o077);
    makeFolder(dataDir);
    this.#dataDir = join(dataDir, 'database');
    this.#release = lockEmbedded(dataDir);
    try {
      prepare(this.#dataDir);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Returns the socket of the next connection. */
  stream(): EmbeddedStream {
    const stream = new EmbeddedStream(this.#dataDir, this.#template, this.#last);
    this.#last = new Promise(resolve => stream.once('close', resolve));
    return stream;
  }

  /** Waits until the last connection is closed, then releases the lock. */
  async close(): Promise<void> {
    await this.#last;
    this.#release();
  }
}

/**
 * Locks the embedded database under a folder, without opening it.
 * Returns the function that releases it.
 * @throws DatabaseInUseError
 */
export const lockEmbedded = (dataDir: string): (() => void) => {
  try {
    return takeLock(join(dataDir, 'database.lock'));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new DatabaseInUseError(
      `The embedded database is in use by process ${error.pid}: end that process first, or use a Postgres server (DATABASE_URL) to work with several.`,
    );
  }
};

/** Path of the file that marks an incomplete database: it is removed before anything is stored. */
const mark = (dataDir: string): string => `${dataDir}.unfinished`;

const prepare = (dataDir: string): void => {
  if (dataDir === IN_MEMORY) return;
  if (existsSync(mark(dataDir))) rmSync(dataDir, { recursive: true, force: true });
  const files = existsSync(dataDir) ? readdirSync(dataDir) : [];
  if (files.length === 0) {
    writeFileSync(mark(dataDir), '');
    return;
  }
  for (const file of ['PG_VERSION', 'global/pg_control']) {
    if (!existsSync(join(dataDir, file)))
      throw new EmbeddedDatabaseError(
        `${dataDir} is not a complete database (${file} is missing): its creation was interrupted, or it is damaged. Restore it from a backup, or remove that folder to start with an empty database.`,
      );
  }
};

const isNew = (dataDir: string): boolean => dataDir === IN_MEMORY || existsSync(mark(dataDir));

/** Returns whether a folder has an embedded database: one whose creation was interrupted is none. */
export const hasEmbedded = (dataDir: string): boolean =>
  existsSync(join(dataDir, 'database')) && !isNew(join(dataDir, 'database'));

/** Forgets that the creation of a folder's database was interrupted: another takes its place. */
export const forgetUnfinished = (dataDir: string): void => rmSync(mark(join(dataDir, 'database')), { force: true });

/** Restricts an open database's files to the current user, and removes the mark of incompleteness. */
const restrictAccess = (dataDir: string): void => {
  chmodSync(dataDir, 0o700);
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  rmSync(mark(dataDir), { force: true });
};

/** The subset of net.Socket that `pg` uses, implemented with worker messages. */
class EmbeddedStream extends Duplex {
  readonly #dataDir: string;
  readonly #template: Uint8Array | null;
  readonly #previous: Promise<void>;
  #worker: Worker | null = null;
  #referenced = true;
  #ended: Promise<void> = Promise.resolve();

  constructor(dataDir: string, template: Uint8Array | null, previous: Promise<void>) {
    super({ allowHalfOpen: false });
    this.#dataDir = dataDir;
    this.#template = template;
    this.#previous = previous;
  }

  /** Opens the database once the previous connection is closed. */
  connect(): this {
    Promise.all([program(), this.#previous]).then(
      ([program]) => {
        if (!this.destroyed) this.#open(program);
      },
      error => this.destroy(error),
    );
    return this;
  }

  #open(program: CompiledProgram): void {
    try {
      prepare(this.#dataDir);
      const worker = new Worker(new URL('./worker.ts', import.meta.url), {
        workerData: { program, dataDir: this.#dataDir, template: isNew(this.#dataDir) ? this.#template : null },
        // Flags of the process, such as a test runner's or --eval, must not apply to this thread.
        execArgv: [],
      });
      this.#worker = worker;
      this.#ended = new Promise(resolve => worker.once('exit', () => resolve()));
      worker.once('error', thrown => this.destroy(systemError(thrown)));
      worker.once('exit', () => this.destroy());
      worker.once('message', () => {
        if (this.#dataDir !== IN_MEMORY) restrictAccess(this.#dataDir);
        worker.on('message', (response: Uint8Array) => this.push(response));
        this.emit('connect');
      });
      if (!this.#referenced) worker.unref();
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.#referenced = true;
    this.#worker?.ref();
    return this;
  }

  unref(): this {
    this.#referenced = false;
    this.#worker?.unref();
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // A copy: the chunk may be a view of a shared buffer, all of which would be sent.
    this.#worker?.postMessage(new Uint8Array(chunk));
    done();
  }

  override _final(done: () => void): void {
    this.#worker?.ref();
    this.#worker?.postMessage(null);
    this.#ended.then(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void this.#worker?.terminate();
    this.#ended.then(() => done(error));
  }
}
