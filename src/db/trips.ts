import type { Connection, RawResult, RawStatement } from './connection.ts';
import { COMMIT, plain, READ } from './enter.ts';
import { DatabaseError, type DatabaseErrorKind, endsConnection, toDatabaseError } from './errors.ts';
import type { TurnOwner } from './pool/turns.ts';

/** The first statements of a transaction, and the deadline of its round trips. */
export interface Opening {
  /** Sent together with the transaction's first statements. */
  readonly statements: readonly RawStatement[];
  /** The first statements of a transaction that follows it. */
  readonly entering?: readonly RawStatement[];
  /** Whose turn it is to have a connection. */
  readonly owner: TurnOwner;
  /** Maximum milliseconds between two results. */
  readonly deadline: number;
  /** Called with the results of those statements. */
  readonly opened?: (results: readonly RawResult[]) => void;
}

const final: ReadonlySet<DatabaseErrorKind> = new Set(['conflict', 'timeout', 'unavailable']);

/** The parts of a transaction, or of one of its parts, which run one after the other. */
export interface Queue {
  last: Promise<unknown>;
}

/** Returns an empty queue. */
export const newQueue = (): Queue => ({ last: Promise.resolve() });

/** What a transaction ends with. */
export interface Closing {
  /** Whether the statements are known now: not before the results that they depend on. */
  readonly areKnown: boolean;
  statements(): readonly RawStatement[];
  /** Called once they are committed. */
  committed(): void;
}

/** Statements that are sent with the next trip. */
interface Deferred {
  readonly statements: readonly RawStatement[];
  /** Called with their results; an error that it throws fails the trip. */
  readonly resolve: (results: readonly RawResult[]) => void;
  /** Called with the error of the trip, or of the part of the transaction that failed before. */
  readonly reject: (error: unknown) => void;
}

/** The round trips of one transaction. */
export class Trips {
  readonly #connection: Connection;
  readonly #deadline: number;
  readonly #opened: Opening['opened'];
  readonly #isReading: boolean;
  #opening: readonly RawStatement[];
  #deferred: Deferred[] = [];
  #open = true;
  /** The first error: the database rejects all further statements. */
  failure: DatabaseError | null = null;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(connection: Connection, { statements, deadline, opened }: Opening) {
    this.#connection = connection;
    this.#opening = statements;
    this.#deadline = deadline;
    this.#opened = opened;
    this.#isReading = statements.includes(READ);
  }

  /**
   * Sends the statements in one round trip, after those that were deferred.
   * The first time together with the opening.
   * @throws DatabaseError the first error
   */
  send(statements: readonly RawStatement[]): Promise<readonly RawResult[]> {
    const reason = this.#reasonNotTo();
    return reason ? Promise.reject(reason) : this.#depart(statements);
  }

  /** Sends statements first in the next trip. @throws Error if the transaction has failed or ended */
  defer(deferred: Deferred): void {
    const reason = this.#reasonNotTo();
    if (reason) throw reason;
    this.#deferred.push(deferred);
  }

  #reasonNotTo(): Error | null {
    return !this.#open || this.ended ? new Error('This transaction has ended.') : this.failure;
  }

  #depart(statements: readonly RawStatement[]): Promise<readonly RawResult[]> {
    const deferred = this.#deferred;
    if (statements.length + deferred.length === 0) return Promise.resolve([]);
    this.#deferred = [];
    const opening = this.#opening;
    this.#opening = [];
    const all = [...opening, ...deferred.flatMap(earlier => earlier.statements), ...statements];
    const trip = this.#connection
      .send(all, this.#deadline)
      .then(results => {
        if (opening.length > 0) this.#opened?.(results.slice(0, opening.length));
        let at = opening.length;
        for (const { statements, resolve } of deferred) {
          resolve(results.slice(at, at + statements.length));
          at += statements.length;
        }
        return results.slice(at);
      })
      .catch(error => {
        this.failure ??= toDatabaseError(error);
        for (const { reject } of deferred) reject(error);
        throw error;
      });
    this.#pending.add(trip);
    const done = () => this.#pending.delete(trip);
    trip.then(done, done);
    return trip;
  }

  /** Whether the transaction has been ended by its last statements. */
  ended = false;

  /**
   * Sends the last statements together with the closing ones and COMMIT; those have to be known.
   * @throws DatabaseError `uncertain` if it is not known whether the transaction is committed
   */
  async finish(statements: readonly RawStatement[]): Promise<readonly RawResult[]> {
    const reason = this.#reasonNotTo();
    if (reason) throw reason;
    return this.#end(statements);
  }

  async #end(statements: readonly RawStatement[]): Promise<readonly RawResult[]> {
    const trip = this.#depart([...statements, ...(this.closing?.statements() ?? []), COMMIT]);
    this.ended = true;
    const results = await trip.catch((error: unknown) => {
      throw this.#isReading ? error : inDoubt(error);
    });
    if (results.at(-1)?.command !== 'COMMIT')
      throw new DatabaseError('other', new Error('The server responded to COMMIT with a rollback.'));
    this.closing?.committed();
    return results.slice(0, statements.length);
  }

  /** The statements that are sent together with COMMIT; null: none are. */
  closing: Closing | null = null;

  /** Statements that follow the commit, in a transaction of their own. */
  readonly afterwards: RawStatement[] = [];

  readonly #callbacks = new Set<() => void>();

  /** Registers a callback for the first rollback of the transaction or of a part of it. */
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
        this.abandon(error);
        await this.#rollBackPart();
        throw error;
      }
    });
    queue.last = part.catch(() => {});
    return part;
  }

  /** Rejects what has been deferred and will not be sent, because of the error. */
  abandon(error: unknown): void {
    for (const { reject } of this.#deferred.splice(0)) reject(error);
  }

  /** Rolls back to the savepoint; after a conflict, timeout or lost connection the whole transaction. */
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

  /** Waits for the results of everything sent; afterwards, `send` and `defer` reject. */
  async settle(): Promise<void> {
    await this.#allResults();
    this.#open = false;
  }

  /** Commits what was sent or deferred, if anything. @throws DatabaseError `uncertain` if unknown */
  async commit(): Promise<void> {
    if (this.closing?.areKnown === false) await this.#depart([]);
    if (!this.ended && (this.begun || this.#deferred.length > 0)) await this.#end([]);
  }

  /** Whether anything has been sent. */
  get begun(): boolean {
    return this.#opening.length === 0;
  }
}

/** Errors after which the outcome is unknown, if there was no response to COMMIT. */
const uncertain: ReadonlySet<DatabaseErrorKind> = new Set(['timeout', 'unavailable']);

/**
 * Returns the error of a trip with COMMIT.
 * One that the server has sent for a statement before COMMIT is certain: it has skipped the rest. Not so if the connection has ended with
 * it.
 */
const inDoubt = (cause: unknown): DatabaseError => {
  const error = toDatabaseError(cause);
  const isCertain = error.statement !== null && error.statement !== COMMIT.text && !endsConnection(error);
  return uncertain.has(error.kind) && !isCertain ? new DatabaseError('uncertain', error.cause) : error;
};
