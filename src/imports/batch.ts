import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Call } from '../core/call/call.ts';
import { ApiError } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../db/errors.ts';
import { rehearse } from '../db/rehearsal.ts';
import { translateConstraints } from '../engine/constraints.ts';
import type { Rules } from '../engine/rules.ts';
import type { Place } from './records.ts';
import { type Mode, writeRow } from './row.ts';

/** A row of a batch: the call that writes it, or why it cannot be written. */
export interface Row {
  readonly line: number;
  readonly call: Call | null;
  readonly errors: readonly RowError[];
}

/** An error of a row: of a field, or of the whole row with an empty field. */
export interface RowError {
  readonly code: string;
  readonly field: string;
  readonly message: string;
}

/** What has happened to a row. */
export interface Result {
  readonly line: number;
  readonly id: number | null;
  readonly external_id: string | null;
  readonly result: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly errors: readonly RowError[];
}

/** What the rows of an import are written to, and how. */
export interface Target {
  readonly importId: number;
  readonly resource: Resource;
  readonly rules: Rules;
  readonly mode: Mode;
  readonly dryRun: boolean;
  readonly log: Logger;
}

/**
 * Writes rows in one transaction, each in a part of its own, with their results and the place after them.
 * @param place where the rows begin
 * @returns whether they have been written; false: another process is at work on the import, or was
 */
export const writeBatch = (
  rows: readonly Row[],
  target: Target,
  [place, end]: readonly [Place, Place],
  db: TenantDb,
): Promise<boolean> =>
  db.joined(async (parts, transaction) => {
    if (!(await claim(target.importId, place, transaction))) return false;
    const write = (written: TenantDb) => writeRows(rows, target, written);
    const results = target.dryRun ? await rehearse(parts).joined(write) : await write(parts);
    await keep(target.importId, results, end, transaction);
    return true;
  });

/** Locks the import until the transaction ends, if it still is where the rows begin. */
const claim = async (importId: number, { position }: Place, { kysely }: Transaction): Promise<boolean> => {
  const claimed = await kysely
    .selectFrom('imports')
    .select('id')
    .where('id', '=', importId)
    .where('position', '=', position)
    .where('status', 'in', ['queued', 'running'])
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return claimed !== undefined;
};

const writeRows = async (rows: readonly Row[], target: Target, db: TenantDb): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (const row of rows) results.push(await resultOf(row, target, db));
  return results;
};

const resultOf = async ({ line, call, errors }: Row, target: Target, db: TenantDb): Promise<Result> => {
  const { resource, rules, mode, dryRun } = target;
  const named = call ? namedBy(call.body, resource) : { id: null, external_id: null };
  if (!call) return { line, ...named, result: 'failed', errors };
  try {
    const { id, outcome } = await translateConstraints(resource, () =>
      db.transaction(transaction => writeRow(call, mode, resource, transaction, rules)),
    );
    return { line, ...named, id: dryRun && outcome === 'created' ? null : id, result: outcome, errors: [] };
  } catch (error) {
    return { line, ...named, result: 'failed', errors: errorsOf(error, target, line) };
  }
};

/** The ids that a row has. */
const namedBy = (body: Call['body'], { key, externalKey = '' }: Resource): Pick<Result, 'id' | 'external_id'> => {
  const [id, externalId] = [body[key], body[externalKey]];
  return {
    id: typeof id === 'number' && Number.isSafeInteger(id) ? id : null,
    external_id: typeof externalId === 'string' ? externalId.slice(0, 190) : null,
  };
};

/** After these the whole batch is repeated. */
const passing: ReadonlySet<DatabaseErrorKind> = new Set(['conflict', 'timeout', 'unavailable', 'stale', 'uncertain']);

const errorsOf = (error: unknown, { log, importId }: Target, line: number): readonly RowError[] => {
  if (error instanceof DatabaseError && passing.has(error.kind)) throw error;
  if (error instanceof ApiError) return rowErrors(error);
  log.error({ err: error, import: importId, line }, 'A row could not be imported because of an unexpected error.');
  return rowErrors(new ApiError('internal_error'));
};

/** The errors of a row that has been rejected as a request would be. */
export const rowErrors = ({ code, message, errors }: ApiError): readonly RowError[] =>
  errors ?? [{ code, field: '', message }];

const keep = async (
  importId: number,
  results: readonly Result[],
  { position, lines }: Place,
  { kysely }: Transaction,
): Promise<void> => {
  const count = (kind: Result['result']) => results.filter(({ result }) => result === kind).length;
  const rows = results.map(({ external_id, errors, ...rest }) => ({
    ...rest,
    import_id: importId,
    external_id: external_id === null ? null : storable(external_id),
    errors: JSON.stringify(errors, (_, value) => (typeof value === 'string' ? storable(value) : value)),
  }));
  await kysely.insertInto('import_results').values(rows).execute();
  await kysely
    .updateTable('imports')
    .set(({ eb }) => ({
      status: 'running',
      rows: eb('rows', '+', results.length),
      created: eb('created', '+', count('created')),
      updated: eb('updated', '+', count('updated')),
      unchanged: eb('unchanged', '+', count('unchanged')),
      failed: eb('failed', '+', count('failed')),
      position,
      lines,
      updated_at: sql<string>`date_trunc('second', now())`,
    }))
    .where('id', '=', importId)
    .execute();
};

/** Replaces what the database cannot store in strings: messages repeat parts of rows that are invalid. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
