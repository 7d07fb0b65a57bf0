import type { Result } from './database.ts';

/** A statement for `Connection.send`: like a Statement, but `pg` turns the values into texts. */
export interface RawStatement {
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A result with what `pg` tells beyond the rows. */
export interface RawResult extends Result {
  /** Object ids of the columns' types. */
  readonly types: readonly number[];
  /** `SELECT`, `COMMIT`, ... */
  readonly command: string;
}

/** One session of the database, for one user at a time. */
export interface Connection {
  /**
   * Sends the statements back to back, in one trip. After an error the ones behind it are sent and answered all the same.
   * A text of several statements, which can have no values, has a result for each.
   * @param deadline milliseconds until the next statement's answer; then the connection is given up (a `timeout` error).
   * @throws DatabaseError the first.
   */
  send(statements: readonly RawStatement[], deadline?: number): Promise<readonly RawResult[]>;
  /**
   * Asks the server to give up what it is doing for this user of the connection, who can send nothing more. The embedded database can't
   * be asked: it goes on.
   */
  cancel(): void;
  /** Hands the connection back; one that broke, or is left inside a transaction, is closed instead. */
  release(): void;
}

export interface Pool {
  readonly kind: 'postgres' | 'embedded';
  /**
   * @param patience milliseconds to wait for a connection.
   * @throws DatabaseError `unavailable`.
   */
  connect(patience?: number): Promise<Connection>;
  /** Closes the connections as they are handed back, and with them the embedded database. */
  end(): Promise<void>;
}

export interface PoolOptions {
  readonly size: number;
  /** Milliseconds that a request waits for a connection. */
  readonly patience: number;
  /** Off: no statement is given a name (for a pooler between here and the database that cannot keep them). */
  readonly prepared: boolean;
  /** Called with an error of a connection that no one is using. */
  readonly onIdleError: (error: Error) => void;
}
