import type { Kysely } from 'kysely';
import type { Tables } from '../../generated/tables.ts';
import type { Tenant } from '../core/principal.ts';

/** A statement with its values as the texts that Postgres reads; arrays as array literals, JSON as JSON text. */
export interface Statement {
  /** A name of at most 63 bytes makes it a prepared statement, planned once per connection. */
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** A row as the database's texts, in the order of the select list: nothing is parsed that is not needed. */
export type Row = readonly (string | null)[];

export interface Result {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Rows touched by an insert, update or delete. */
  readonly affected: number;
}

/** A transaction of one tenant, in the role that row security binds. */
export interface Transaction {
  readonly tenant: Tenant;
  /** Sends the statements back to back, one trip; an error of any rejects with a `DatabaseError` and dooms the transaction. */
  send(...statements: readonly Statement[]): Promise<readonly Result[]>;
  /** For hand-written queries; the tenant plugin binds `tenant_id` on every table reference. */
  readonly kysely: Kysely<Tables>;
  /** Ids for new records of a table, in ascending order: the tenant's own, from 1, with gaps. */
  newIds(table: string, count: number): Promise<readonly number[]>;
}

/** A statement that is sent with the first trip of each transaction, and the value that it must return. */
export interface Proof {
  readonly statement: Statement;
  /** The first value of the first row; empty: no row. Any other fails the trip with a `DatabaseError` of kind `stale`. */
  readonly expected: string;
}

declare const brand: unique symbol;

/** The database as one tenant sees it: the only way to data that handlers are given. */
export interface TenantDb {
  readonly [brand]: true;
  readonly tenant: Tenant;
  /** Returns the same database, each of whose transactions proves that. */
  proving(proof: Proof): TenantDb;
  /** Whether a transaction has made the proof. */
  readonly proved: boolean;
  /** Statements of a read, in one snapshot, begin and commit included in the one trip. */
  read(...statements: readonly Statement[]): Promise<readonly Result[]>;
  /** Several trips in one read-only snapshot. */
  snapshot<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** All of `work` or, if it throws, none of it. Serialisation failures and deadlocks run it again, at most three times. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs `work` with a database whose reads and transactions are parts of one transaction: what one of them did is taken back if it
   * throws, and everything if `work` does. Conflicts run all of it again.
   */
  joined<T>(work: (parts: TenantDb, transaction: Transaction) => Promise<T>): Promise<T>;
}
