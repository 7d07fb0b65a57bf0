import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Pool, RawResult, RawStatement } from './connection.ts';
import { plain } from './enter.ts';
import { DatabaseError, type DatabaseErrorKind, toDatabaseError } from './errors.ts';

/** How a transaction begins, and how long each of its trips may take. */
export interface Opening {
  /** Sent together with the transaction's first statements. */
  readonly statements: readonly RawStatement[];
  /** Milliseconds. */
  readonly deadline: number;
  /** Looks at the results of those statements. @throws Error if the transaction is to go no further */
  readonly verify?: (results: readonly RawResult[]) => void;
}

const final: ReadonlySet<DatabaseErrorKind> = new Set(['conflict', 'timeout', 'unavailable']);

/** The trips of one transaction. */
export class Trips {
  readonly #connection: Connection;
  readonly #deadline: number;
  readonly #verify: Opening['verify'];
  #opening: readonly RawStatement[];
  #open = true;
  /** What failed first: the database refuses all that follows. */
  failure: DatabaseError | null = null;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(connection: Connection, { statements, deadline, verify }: Opening) {
    this.#connection = connection;
    this.#opening = statements;
    this.#deadline = deadline;
    this.#verify = verify;
  }

  send(statements: readonly RawStatement[]): Promise<readonly RawResult[]> {
    if (!this.#open) return Promise.reject(new Error('This transaction has ended.'));
    if (this.failure) return Promise.reject(this.failure);
    const opening = this.#opening;
    this.#opening = [];
    const trip = this.#connection.send([...opening, ...statements], this.#deadline).then(
      results => {
        if (opening.length > 0) this.#verify?.(results);
        return results.slice(opening.length);
      },
      error => {
        this.failure ??= toDatabaseError(error);
        throw error;
      },
    );
    this.#pending.add(trip);
    const done = () => this.#pending.delete(trip);
    trip.then(done, done);
    return trip;
  }

  readonly #undo = new Set<() => void>();

  /** @param undo is called once, when what was sent so far, or a part of it, has been taken back */
  onUndone(undo: () => void): void {
    this.#undo.add(undo);
  }

  /** Tells those who wait for it that something was taken back. */
  undone(): void {
    for (const undo of this.#undo) undo();
    this.#undo.clear();
  }

  #part: Promise<unknown> = Promise.resolve();

  /** Runs a part of the transaction, one after the other: if it fails, what it did is taken back, and the others can go on. */
  nest<T>(work: () => Promise<T>): Promise<T> {
    const part = this.#part.then(async () => {
      await this.send([plain('savepoint part')]);
      try {
        const result = await work().finally(() => this.#answered());
        if (this.failure) throw this.failure;
        await this.send([plain('release savepoint part')]);
        return result;
      } catch (error) {
        await this.#takeBack();
        throw error;
      }
    });
    this.#part = part.catch(() => {});
    return part;
  }

  /** A conflict, or a database that is not there, ends the whole transaction. */
  async #takeBack(): Promise<void> {
    if (this.failure && final.has(this.failure.kind)) return;
    this.failure = null;
    await this.send([plain('rollback to savepoint part')]);
    this.undone();
  }

  async #answered(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Waits for what was sent and not waited for; then nothing more is taken. */
  async settle(): Promise<void> {
    await this.#answered();
    this.#open = false;
  }

  /** Whether anything reached the database. */
  get begun(): boolean {
    return this.#opening.length === 0;
  }
}

/**
 * Uses a connection of the pool, for as long as someone is there to use it for: when the signal comes, what the database is doing is
 * given up.
 */
export const withConnection = async <T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  use: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const connection = await pool.connect();
  const cancel = () => connection.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    if (signal?.aborted) throw new DatabaseError('timeout', signal.reason);
    return await use(connection);
  } finally {
    signal?.removeEventListener('abort', cancel);
    connection.release();
  }
};

/**
 * Runs `work` in a transaction: all of it, or none if it throws or if a statement failed. Runs it again, at most three times,
 * after a conflict with other transactions.
 * @param signal ends a transaction that only reads.
 * @throws DatabaseError `unavailable` if every run met a conflict.
 */
export const transact = <T>(
  pool: Pool,
  opening: Opening,
  work: (trips: Trips) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => withRetries(() => withConnection(pool, signal, connection => transactOn(connection, opening, work)));

const transactOn = async <T>(
  connection: Connection,
  opening: Opening,
  work: (trips: Trips) => Promise<T>,
): Promise<T> => {
  const trips = new Trips(connection, opening);
  try {
    const result = await work(trips).finally(() => trips.settle());
    if (trips.failure) throw trips.failure;
    if (trips.begun) await commit(connection, opening.deadline);
    return result;
  } catch (error) {
    if (trips.begun) await connection.send([plain('rollback')], opening.deadline).catch(() => {});
    trips.undone();
    // Whatever `work` made of a conflict: it is to run again.
    throw trips.failure?.kind === 'conflict' ? trips.failure : error;
  }
};

/** Whatever keeps the response to COMMIT away, the transaction may have been committed. */
const unanswered: ReadonlySet<DatabaseErrorKind> = new Set(['timeout', 'unavailable']);

/** @throws DatabaseError `uncertain` if the outcome is not known */
const commit = async (connection: Connection, deadline: number): Promise<void> => {
  const [result] = await connection.send([plain('commit')], deadline).catch((thrown: unknown) => {
    const error = toDatabaseError(thrown);
    throw unanswered.has(error.kind) ? new DatabaseError('uncertain', error.cause) : error;
  });
  if (result?.command !== 'COMMIT')
    throw new DatabaseError('other', new Error('The commit rolled the transaction back.'));
};

const RETRIES = 3;

/** Runs `work` again after a conflict, each time after a longer pause of random length. */
export const withRetries = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let run = 0; ; run++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseError && error.kind === 'conflict')) throw error;
      if (run === RETRIES) throw new DatabaseError('unavailable', error);
      await sleep(Math.random() * 20 * 2 ** run);
    }
  }
};
