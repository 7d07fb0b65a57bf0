import type { Compilable, Kysely } from 'kysely';
import type { Tables } from '../../generated/tables.ts';
import type { Tenant } from '../core/principal.ts';
import type { Cells } from '../core/resource/cells.ts';
import type { SetMember } from './together/set-form.ts';

/** The server of a transaction, and the transaction's place in the order of that server. */
export interface Entered {
  /** The snapshot in which the transaction began, as text; what it reads is not older. */
  readonly snapshot: string;
  /** The server's system identifier and timeline; empty: it does not say (server.sql). */
  readonly server: string;
}

/** A statement with its values in Postgres's text format; arrays as array literals, JSON as JSON text. */
export interface Statement {
  /** A name of at most 63 bytes makes it a prepared statement, planned once per connection. */
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly (string | null)[];
  /** The fields that it changes in addition to those that are named like its columns; for the journal. */
  readonly fields?: readonly string[];
  /** The records that it changes, if only these; otherwise the journal reads them from its result. */
  readonly records?: readonly ChangedRecord[];
  /** What a read returns of records that the transaction has changed; for the journal. */
  readonly tells?: Telling;
  /** How it is sent as one with others of its shape. One that changes records also has `records`. */
  readonly member?: SetMember;
  /** What a distributed database gets in its place, from the results of those before it: a trip more. */
  readonly distributed?: (earlier: readonly Result[]) => Statement;
}

/** A record that a statement changes. */
export interface ChangedRecord {
  /** That of the statement's table if omitted; another one's entry gets the fields. */
  readonly resource?: string;
  readonly id: string;
  /** Undefined: another statement of the transaction returns it, or there is none. */
  readonly externalId: string | null | undefined;
  /** The fields whose values differ, without `updated_at`; undefined: those of the statement's columns. */
  readonly fields?: readonly string[];
  /** `updated_at` before the statement sets it to the present; null: it does not. */
  readonly touched?: string | null;
}

/** Which fields of records differ after a transaction's changes, by rows that are read then. */
export interface Telling {
  readonly table: string;
  readonly differing: (rows: readonly Row[]) => readonly { readonly id: string; readonly fields: readonly string[] }[];
}

/** A row in Postgres's text format, in the order of the select list, with unparsed values. */
export type Row = readonly (string | null)[];

/** The result of one statement. */
export interface Result {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The same rows as they came, for those that are only sent on. */
  readonly cells: readonly Cells[];
  /** Number of rows that an insert, update or delete changed. */
  readonly affected: number;
}

/** A prepared query with its values (see prepared.ts). `Row`: a row of its result. */
export interface TenantQuery<Row = unknown> {
  /** The statement for a tenant; its values are converted to strings when it is sent. */
  for(tenantId: number): Omit<Statement, 'values'> & { readonly values: readonly unknown[] };
  /** A row of its result, as a type alone. */
  readonly row?: Row;
}

/** What a transaction can send: a statement, a prepared query, or one of the query builder. */
export type Sendable<Row = unknown> = Statement | TenantQuery<Row> | Compilable<Row>;

/** The rows of several queries, in their order. */
export type RowsOf<Queries extends readonly Sendable[]> = {
  -readonly [Index in keyof Queries]: Queries[Index] extends TenantQuery<infer Row> | Compilable<infer Row>
    ? Row[]
    : unknown[];
};

/** A transaction of one tenant, in the database role that is subject to row security. */
export interface Transaction {
  readonly tenant: Tenant;
  /** Sends statements in one round trip; an error ends the transaction. @throws DatabaseError the first */
  send(...statements: readonly Statement[]): Promise<readonly Result[]>;
  /**
   * Sends the last statements.
   * The transaction ends with them, in the same round trip, if it is no part of another and what the journal is to be told is known
   * before. Nothing must be thrown afterwards. @throws DatabaseError the first error
   */
  finish(...statements: readonly Statement[]): Promise<readonly Result[]>;
  /** Sends queries in one round trip and returns the rows of each. @throws DatabaseError the first error */
  run<Queries extends readonly Sendable[]>(...queries: Queries): Promise<RowsOf<Queries>>;
  /**
   * Sends queries with the next round trip, before that one's own, or before the commit.
   * Only what needs their rows awaits them, after that trip: an error is that of the trip, too.
   * @throws Error if a change could not be entered in the journal, or the transaction has failed
   */
  defer<Queries extends readonly Sendable[]>(...queries: Queries): Promise<RowsOf<Queries>>;
  /** The query builder; the tenant plugin binds `tenant_id` for every table in a query. */
  readonly kysely: Kysely<Tables>;
  /**
   * Does pieces of work at the same time: statements of one shape are sent as one.
   * What one that throws has deferred is left out. One does not see what others write, and must not depend on it.
   * @throws DatabaseError if a statement fails; the error of one that throws after it has written: what all have written must be undone
   */
  together<T>(works: readonly ((transaction: Transaction) => Promise<T>)[]): Promise<PromiseSettledResult<T>[]>;
  /**
   * Sends a statement after the commit, in a transaction of its own.
   * For what another node stores, such as the job queue. A process that ends between the two, or an error, loses it: something has to find what
   * it was for.
   */
  afterwards(statement: Statement): void;
  /** Returns ascending ids for new records of a table: from 1 for each tenant, with gaps. */
  newIds(table: string, count: number): Promise<readonly number[]>;
}

/**
 * A statement that is sent with the first trip of each transaction.
 * It fails, with a `DatabaseError` of kind `stale`, unless what it proves is so: a trip can end the transaction.
 */
export interface Proof {
  readonly statement: Statement;
  /** Called with its first row, and what the transaction knows of its server. */
  readonly verified?: (row: Row, entered: Entered) => void;
}

/** What a request has taken for granted, until the database confirms it. */
export interface Confirmation {
  /** What reads it outside of transactions; null: nothing to confirm. @throws Error if it is not so */
  readonly statement: Statement | null;
  /** Takes the result of that statement. @throws Error if it is not as it was taken for granted */
  take(result: Result): void;
  /** Finds it out without a read, if there is something to confirm. @throws the same; DatabaseError */
  confirm(): Promise<void>;
}

declare const brand: unique symbol;

/** The database restricted to one tenant: the only access to data that handlers have. */
export interface TenantDb {
  readonly [brand]: true;
  readonly tenant: Tenant;
  /** Whether transactions are rolled back at their end (`dry_run`): nothing else may follow from them. */
  readonly rehearsed?: true;
  /** Whether all requests share one connection: long reads then come in parts, so that others have turns. */
  readonly oneConnection: boolean;
  /** Returns the same database with a proof that is verified in each transaction. */
  proving(proof: Proof): TenantDb;
  /** Returns the same database for the tenant as it is now: the clock of a sandbox can have been moved. */
  as(tenant: Tenant): TenantDb;
  /** Whether a transaction has verified the proof. */
  readonly proved: boolean;
  /** Runs read-only statements in one snapshot and one round trip, including begin and commit. */
  read(...statements: readonly Statement[]): Promise<readonly Result[]>;
  /** Does the same after the journal has been renewed if another server has written it. */
  readAt(...statements: readonly Statement[]): Promise<Entered & { readonly results: readonly Result[] }>;
  /** Renews the journal if another server has written entries of it. @returns whether it was renewed */
  examineJournal(): Promise<boolean>;
  /** Runs `work` in a read-only transaction with one snapshot, over any number of round trips. */
  snapshot<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction, rolled back if it throws, retried up to three times after conflicts. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction, with a database whose reads and transactions become parts of it.
   * A part that throws is rolled back alone; if `work` throws, everything is rolled back. A conflict retries the whole transaction.
   */
  joined<T>(work: (parts: TenantDb, transaction: Transaction) => Promise<T>): Promise<T>;
}
