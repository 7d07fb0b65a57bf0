/** What the database refused or could not do, in the terms a caller decides by. */
export type DatabaseErrorKind =
  /** Another record has the same values in `columns`. */
  | 'unique'
  /** The record that `columns` refers to does not exist in this tenant. */
  | 'reference_missing'
  /** Records of `table` still refer to the one to be removed, by `columns`. */
  | 'still_referenced'
  | 'check'
  | 'exclusion'
  | 'not_null'
  /** A value that its column's type cannot hold: too large, too long, with a NUL character. */
  | 'value'
  /** A serialisation failure, a deadlock, a lock not got in time: the same transaction may pass when it runs again. */
  | 'conflict'
  /** A statement took longer than it may. */
  | 'timeout'
  /** No database, no free connection, or a connection that broke before its transaction was to be committed. */
  | 'unavailable'
  /** What the work is based on has changed (`Proof`). */
  | 'stale'
  /** No response to COMMIT, in time or at all: the transaction may or may not have been committed. */
  | 'uncertain'
  /** Anything else: a mistake in this program. */
  | 'other';

const messages: Record<DatabaseErrorKind, string> = {
  unique: 'Another record has the same value.',
  reference_missing: 'The record referred to does not exist.',
  still_referenced: 'Other records refer to this one.',
  check: 'A value is not allowed.',
  exclusion: 'Another record excludes this one.',
  not_null: 'A value is missing.',
  value: 'A value does not fit its column.',
  conflict: 'Concurrent changes got in the way.',
  timeout: 'The database took too long.',
  unavailable: 'The database is not available.',
  stale: 'The data has changed meanwhile.',
  uncertain: 'The database did not say whether it has committed the transaction.',
  other: 'The database refused a statement.',
};

export interface Violation {
  readonly constraint: string | null;
  /** The columns of the violated constraint or the missing value, without tenant_id; empty where they are not known. */
  readonly columns: readonly string[];
  /** The table that holds the violated constraint. */
  readonly table: string | null;
}

const none: Violation = { constraint: null, columns: [], table: null };

/** An error of the database; `cause` (for the log, never for an answer) has the driver's own words. */
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

/** The fields of an ErrorResponse that the translation reads (PostgreSQL documentation, "Error and Notice Message Fields"). */
interface ServerError {
  readonly code: string;
  readonly message: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly routine?: string;
}

const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code);

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
  // A connection that a failover left on a server that only reads.
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
 * A plan that a connection prepared before a migration changed the columns of a table or view: the transaction passes on a
 * connection that prepares it anew.
 */
export const isStalePlan = (error: unknown): boolean =>
  isServerError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

/** Any error of the driver as a DatabaseError; one that no server sent means a connection that is not there or broke. */
export const toDatabaseError = (error: unknown, statement: string | null = null): DatabaseError => {
  if (error instanceof DatabaseError) return error;
  if (!isServerError(error)) return new DatabaseError('unavailable', error);
  const kind = isStalePlan(error) ? 'conflict' : kindOf(error);
  const { constraint = null, table = null } = error;
  return new DatabaseError(kind, error, { constraint, columns: columnsOf(error), table }, statement);
};

const kindOf = (error: ServerError): DatabaseErrorKind => {
  if (error.code === '23503') return namesReferencingTable(error) ? 'still_referenced' : 'reference_missing';
  return kinds[error.code] ?? classes[error.code.slice(0, 2)] ?? 'other';
};

/**
 * Both violations of a foreign key have one code and, under row security, no detail. The message names the constraint and its
 * table for a missing target, and the referenced table on top when a target is removed: so three names, in any language.
 */
const namesReferencingTable = ({ message }: ServerError): boolean => (message.match(quoted)?.length ?? 0) > 2;

const quoted = /["«»„“”][^"«»„“”]+["«»„“”]/g;

/** The columns that a constraint's name tells (the function tenant_table names them): row security hides the error's detail. */
const columnsOf = ({ column, table, constraint }: ServerError): string[] => {
  if (column) return [column];
  if (!constraint || !table) return [];
  if (constraint.endsWith('_fkey')) return [constraint.slice(0, -'_fkey'.length)];
  const own = constraint.startsWith(`${table}_`) ? constraint.slice(table.length + 1) : '';
  const [, columns] = /^_?(.+?)_{1,2}(?:key|check)\d*$/.exec(own) ?? [];
  return columns?.split('__') ?? [];
};
