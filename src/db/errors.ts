import { namesOfShards, quotedIn, type ViolatedNames } from './shard-names.ts';

/** Kinds of database errors that callers distinguish. */
export type DatabaseErrorKind =
  /** Another record has the same values in `columns`. */
  | 'unique'
  /** The record that `columns` refers to does not exist in this tenant. */
  | 'reference_missing'
  /** Records of `table` still refer to the record to be deleted, by `columns`. */
  | 'still_referenced'
  | 'check'
  | 'exclusion'
  | 'not_null'
  /** A value that the column's type does not allow: too large, too long, with a NUL character. */
  | 'value'
  /** A serialisation failure, a deadlock or a lock timeout: a retry may succeed. */
  | 'conflict'
  /** A statement exceeded its timeout. */
  | 'timeout'
  /** No database, no free connection, or a connection that broke before the commit. */
  | 'unavailable'
  /** The data that the work is based on has changed (`Proof`). */
  | 'stale'
  /** More records would be embedded than are allowed; `constraint` is the name of the embed. */
  | 'embed_overflow'
  /** No response to COMMIT, in time or at all: the transaction may or may not have been committed. */
  | 'uncertain'
  /** Any other error, caused by a defect in this program. */
  | 'other';

const messages: Record<DatabaseErrorKind, string> = {
  unique: 'Another record has the same value.',
  reference_missing: 'The record referred to does not exist.',
  still_referenced: 'Other records refer to this one.',
  check: 'A value violates a check constraint.',
  exclusion: 'The record overlaps another one.',
  not_null: 'A required value is missing.',
  value: 'A value is too large or invalid for its column.',
  conflict: 'The transaction conflicts with concurrent changes.',
  timeout: 'A statement exceeded its timeout.',
  unavailable: 'The database is not available.',
  stale: 'The data that the request is based on has changed.',
  embed_overflow: 'Too many records would be embedded.',
  uncertain: 'The outcome is unknown: the database did not respond to COMMIT.',
  other: 'The database rejected a statement.',
};

/** The constraint that a statement violated. */
export interface Violation {
  readonly constraint: string | null;
  /** The columns of the violated constraint or missing value, without tenant_id; empty: unknown. */
  readonly columns: readonly string[];
  /** The table that holds the violated constraint. */
  readonly table: string | null;
}

const none: Violation = { constraint: null, columns: [], table: null };

/** An error of the database; `cause` is the driver's error, for the log and never for a response. */
export class DatabaseError extends Error implements Violation {
  override readonly name = 'DatabaseError';
  readonly kind: DatabaseErrorKind;
  readonly constraint: string | null;
  readonly columns: readonly string[];
  readonly table: string | null;
  /** The text of the statement that failed; for the log, like `cause`. */
  readonly statement: string | null;

  constructor(
    kind: DatabaseErrorKind,
    cause?: unknown,
    { constraint, columns, table }: Violation = none,
    statement: string | null = null,
  ) {
    super(messages[kind], cause === undefined ? undefined : { cause });
    this.statement = statement;
    this.kind = kind;
    this.constraint = constraint;
    this.columns = columns;
    this.table = table;
  }
}

/**
 * Whether a transaction that ended with this error may have been committed.
 * What was stored for its records is kept then: the sweeper removes it if there are none.
 */
export const isUncertain = (error: unknown): boolean => error instanceof DatabaseError && error.kind === 'uncertain';

/** The fields of an ErrorResponse that are read (PostgreSQL, "Error and Notice Message Fields"). */
interface ServerErrorFields extends ViolatedNames {
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  readonly routine?: string;
  readonly isFatal?: boolean;
}

/**
 * Whether the server sent an error: each of them has a severity.
 * The code of a system error (EPIPE) can look like one of the server, and has a `syscall` or none.
 */
const isServerError = (error: unknown): error is ServerErrorFields =>
  error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';

const kinds: Readonly<Record<string, DatabaseErrorKind>> = {
  '23001': 'still_referenced',
  '23502': 'not_null',
  '23505': 'unique',
  '23514': 'check',
  '23P01': 'exclusion',
  '40001': 'conflict',
  '40P01': 'conflict',
  '55P03': 'conflict',
  '57014': 'timeout',
  // Of the function stale_fields.
  STALE: 'stale',
  // Of the function embed_overflow.
  EMBED: 'embed_overflow',
  // After a failover, the connection may lead to a server that is now read-only.
  '25006': 'unavailable',
  '25P03': 'unavailable',
  '3D000': 'unavailable',
};

const classes: Readonly<Record<string, DatabaseErrorKind>> = {
  '08': 'unavailable',
  '22': 'value',
  '28': 'unavailable',
  '53': 'unavailable',
  '57': 'unavailable',
  '58': 'unavailable',
};

/**
 * Whether a prepared statement is outdated because a migration changed its columns.
 * The transaction succeeds on a connection that prepares it again.
 */
export const isStalePlan = (error: unknown): boolean =>
  isServerError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

/** Whether a coordinator (Citus) has lost its connection to a worker: its code then is not of class 08. */
const hasLostWorker = ({ code, routine }: ServerErrorFields): boolean => code === 'XX000' && losingWorkers.has(routine);

/** The routines of Citus that report it: of a statement, beside others, and at COMMIT. */
const losingWorkers: ReadonlySet<string | undefined> = new Set([
  'ReportResultError',
  'MarkRemoteTransactionFailed',
  'CheckRemoteTransactionsHealth',
]);

/**
 * Whether an error came with the end of the connection.
 * A pooler may have sent it, PgBouncer with a code of class 08: one that has lost the server knows nothing of what the server has done,
 * or is still doing.
 */
export const endsConnection = ({ cause }: DatabaseError): boolean =>
  isServerError(cause) && (cause.isFatal === true || cause.code.startsWith('08'));

/** Converts an error of the driver to a DatabaseError; those not of the server mean no connection. */
export const toDatabaseError = (error: unknown, statement: string | null = null): DatabaseError => {
  if (error instanceof DatabaseError) return error;
  if (!isServerError(error)) return new DatabaseError('unavailable', error);
  const kind = isStalePlan(error) ? 'conflict' : kindOf(error);
  const names = namesOf(kind, error);
  const { constraint = null, table = null } = names;
  return new DatabaseError(kind, error, { constraint, columns: columnsOf(names), table }, statement);
};

const namesOf = (kind: DatabaseErrorKind, error: ServerErrorFields): ViolatedNames => {
  if (kind === 'embed_overflow') return { constraint: error.detail };
  return error.constraint || error.table ? error : namesOfShards(error.code, error.message);
};

const kindOf = (error: ServerErrorFields): DatabaseErrorKind => {
  if (error.code === '23503') return namesReferencingTable(error) ? 'still_referenced' : 'reference_missing';
  if (hasLostWorker(error)) return 'unavailable';
  return kinds[error.code] ?? classes[error.code.slice(0, 2)] ?? 'other';
};

/**
 * Whether a foreign key violation was caused by deleting the referenced row.
 * Both violations have the same code and, under row security, no detail. The message quotes the constraint and its table, and
 * only in this case a third name, in every language.
 */
const namesReferencingTable = ({ message }: ServerErrorFields): boolean => quotedIn(message).length > 2;

/** Returns the columns in a constraint's name (see tenant_table): row security hides the detail. */
const columnsOf = ({ column, table, constraint }: ViolatedNames): string[] => {
  if (column) return [column];
  if (!constraint || !table) return [];
  if (constraint.endsWith('_fkey')) return [constraint.slice(0, -'_fkey'.length)];
  const own = constraint.startsWith(`${table}_`) ? constraint.slice(table.length + 1) : '';
  const [, columns] = /^_?(.+?)_{1,2}(?:key|check)\d*$/.exec(own) ?? [];
  return columns?.split('__') ?? [];
};
