import type { Result } from './database.ts';
import type { TurnOwner, Usage } from './pool/turns.ts';
import type { SetMember } from './together/set-form.ts';

/** A statement for `Connection.send`: like a Statement, but with values that are converted to strings. */
export interface RawStatement {
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly unknown[];
  /** How it is sent as one with others of its shape; see together/unite.ts. */
  readonly member?: SetMember;
  /** What a distributed database gets in its place; a function: from the results of those before it. */
  readonly distributed?: RawStatement | ((earlier: readonly Result[]) => RawStatement);
}

/** A result with the types of its columns and the command. */
export interface RawResult extends Result {
  /** Object ids of the columns' types. */
  readonly types: readonly number[];
  /** `SELECT`, `COMMIT`, ... */
  readonly command: string;
}

/** One database session, used by one caller at a time. */
export interface Connection {
  /**
   * Sends the statements in one pipelined round trip.
   * The server skips those after a failed one; if COMMIT is among them, the transaction is rolled back. A text with several statements,
   * which cannot have values, must be alone; it has a result for each.
   * @param deadline maximum milliseconds for each statement; after that the connection is closed (`timeout` error).
   * @throws DatabaseError the first error.
   */
  send(statements: readonly RawStatement[], deadline?: number): Promise<readonly RawResult[]>;
  /**
   * Requests that the server cancel the current statement; nothing more can be sent on this connection.
   * The embedded database does not support cancellation: there, the statement continues.
   */
  cancel(): void;
  /** Returns the connection to the pool; one that is broken or inside a transaction is closed. */
  release(): void;
}

/** A pool of database connections, which are shared fairly: see turns.ts. */
export interface Pool {
  readonly kind: 'postgres' | 'embedded';
  /**
   * @param timeout milliseconds to wait for a connection.
   * @param owner the tenant that the connection is for; default: the service itself.
   * @throws DatabaseError `unavailable`.
   */
  connect(timeout?: number, owner?: TurnOwner): Promise<Connection>;
  /** How the connections are used now. */
  usage(): Usage;
  /** Closes each connection once it is released, and then the embedded database. */
  end(): Promise<void>;
}

/** Settings of a pool. */
export interface PoolOptions {
  readonly size: number;
  /** Maximum milliseconds to wait for a connection. */
  readonly timeout: number;
  /** False: no named statements (for a connection pooler that does not support them). */
  readonly prepared: boolean;
  /** The statements that begin a read-only transaction, for the warm-up of connections; default: none. */
  readonly opening?: readonly RawStatement[];
  /** Called with an error of an idle connection. */
  readonly onIdleError: (error: Error) => void;
}
