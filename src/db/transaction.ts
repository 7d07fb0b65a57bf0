import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Pool, RawResult, RawStatement } from './connection.ts';
import { COMMIT, plain } from './enter.ts';
import { DatabaseError, type DatabaseErrorKind, toDatabaseError } from './errors.ts';
import type { Holder } from './pool/turns.ts';

/** The first statements of a transaction, and the deadline of its round trips. */
export interface Opening {
  /** Sent together with the transaction's first statements. */
  readonly statements: readonly RawStatement[];
  /** Whose turn it is to have a connection. */
  readonly holder: Holder;
  /** Maximum milliseconds between two results. */
  readonly deadline: number;
  /** Checks the results of those statements. @throws Error to abort the transaction */
  readonly verify?: (results: readonly RawResult[]) => void;
}

const final: ReadonlySet<DatabaseErrorKind> = new Set(['conflict', 'timeout', 'unavailable']);

/** The parts of a transaction, or of one of its parts, which run one after the other. */
export interface Queue {
  last: Promise<unknown>;
}

/** Returns an empty queue. */
export const newQueue = (): Queue => ({ last: Promise.resolve() });

/** The round trips of one transaction. */
export class Trips {
  readonly #connection: Connection;
  readonly #deadline: number;
  readonly #verify: Opening['verify'];
  #opening: readonly RawStatement[];
  #open = true;
  /** The first error: the database rejects all further statements. */
  failure: DatabaseError | null = null;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(connection: Connection, { statements, deadline, verify }: Opening) {
    this.#connection = connection;
    this.#opening = statements;
    this.#deadline = deadline;
    this.#verify = verify;
  }

  /** Sends the statements in one round trip, the first time together with the opening. @throws DatabaseError the first error */
  send(statements: readonly RawStatement[]): Promise<readonly RawResult[]> {
    if (!this.#open || this.ended) return Promise.reject(new Error('This transaction has ended.'));
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

  /** Whether the transaction has been ended by its last statements. */
  ended = false;

  /** Sends the last statements together with COMMIT. Only for a transaction that does not write: whether it is committed is not checked. */
  async finish(statements: readonly RawStatement[]): Promise<readonly RawResult[]> {
    const trip = this.send([...statements, COMMIT]);
    this.ended = true;
    return (await trip).slice(0, -1);
  }

  /** Returns the statements that are sent together with COMMIT. */
  closing: () => readonly RawStatement[] = () => [];

  readonly #callbacks = new Set<() => void>();

  /** Registers a callback that is called once, after the first rollback of the transaction or of a part of it. */
  onRollback(callback: () => void): void {
    this.#callbacks.add(callback);
  }

  /** Calls the callbacks registered with `onRollback`. */
  rolledBack(): void {
    for (const callback of this.#callbacks) callback();
    this.#callbacks.clear();
  }

  /**
   * Runs `work` in a savepoint, which is rolled back if it throws. Concurrent calls run sequentially.
   * @param queue what the call is a part of: the transaction or a part of it, whose queue `work` receives
   */
  nest<T>(queue: Queue, work: (parts: Queue) => Promise<T>): Promise<T> {
    const part = queue.last.then(async () => {
      await this.send([plain('savepoint part')]);
      try {
        const result = await work(newQueue()).finally(() => this.#allResults());
        if (this.failure) throw this.failure;
        await this.send([plain('release savepoint part')]);
        return result;
      } catch (error) {
        await this.#rollBackPart();
        throw error;
      }
    });
    queue.last = part.catch(() => {});
    return part;
  }

  /** Rolls back to the savepoint. After a conflict, a timeout or a lost connection, the whole transaction is rolled back instead. */
  async #rollBackPart(): Promise<void> {
    if (this.failure && final.has(this.failure.kind)) return;
    this.failure = null;
    // Released, too: savepoints of nested parts have the same name.
    await this.send([plain('rollback to savepoint part'), plain('release savepoint part')]);
    this.rolledBack();
  }

  async #allResults(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Waits for the results of everything sent; afterwards, `send` rejects. */
  async settle(): Promise<void> {
    await this.#allResults();
    this.#open = false;
  }

  /** Whether anything has been sent. */
  get begun(): boolean {
    return this.#opening.length === 0;
  }
}

/**
 * Calls `use` with a connection of the pool, which is then released. When the signal is aborted, the current statement is cancelled.
 */
export const withConnection = async <T>(
  pool: Pool,
  holder: Holder,
  signal: AbortSignal | undefined,
  use: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const connection = await pool.connect(undefined, holder);
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
 * Runs `work` in a transaction, which is rolled back if it throws or a statement failed. Retried at most three times after a conflict
 * with other transactions.
 * @param signal cancels the transaction; only for transactions that do not write.
 * @throws DatabaseError `unavailable` if every attempt met a conflict.
 */
export const transact = <T>(
  pool: Pool,
  opening: Opening,
  work: (trips: Trips) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> =>
  withRetries(() => withConnection(pool, opening.holder, signal, connection => transactOn(connection, opening, work)));

const transactOn = async <T>(
  connection: Connection,
  opening: Opening,
  work: (trips: Trips) => Promise<T>,
): Promise<T> => {
  const trips = new Trips(connection, opening);
  try {
    const result = await work(trips).finally(() => trips.settle());
    if (trips.failure) throw trips.failure;
    if (trips.begun && !trips.ended) await commit(connection, trips.closing(), opening.deadline);
    return result;
  } catch (error) {
    if (trips.begun) await connection.send([plain('rollback')], opening.deadline).catch(() => {});
    trips.rolledBack();
    // A conflict is retried, whatever error `work` has turned it into.
    throw trips.failure?.kind === 'conflict' ? trips.failure : error;
  }
};

/** Errors after which a transaction may or may not have been committed: there was no response to COMMIT. */
const uncertain: ReadonlySet<DatabaseErrorKind> = new Set(['timeout', 'unavailable']);

/** @throws DatabaseError `uncertain` if the outcome is not known */
const commit = async (connection: Connection, closing: readonly RawStatement[], deadline: number): Promise<void> => {
  const results = await connection.send([...closing, COMMIT], deadline).catch((cause: unknown) => {
    const error = toDatabaseError(cause);
    throw uncertain.has(error.kind) ? new DatabaseError('uncertain', error.cause) : error;
  });
  if (results.at(-1)?.command !== 'COMMIT')
    throw new DatabaseError('other', new Error('The server responded to COMMIT with a rollback.'));
};

const RETRIES = 3;

/** Runs `work`, and again after a conflict, with random and increasing pauses. @throws DatabaseError `unavailable` after three retries */
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
