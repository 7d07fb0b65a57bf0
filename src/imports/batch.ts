import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Call } from '../core/call/call.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import type { Principal } from '../core/principal.ts';
import { isAllowed, scopeMissing } from '../core/resource/access.ts';
import { presented } from '../core/resource/findings.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../db/errors.ts';
import { rehearse } from '../db/rehearsal.ts';
import { translateConstraints } from '../engine/constraints.ts';
import { keepCopies } from '../engine/forget/copies.ts';
import type { Rules } from '../engine/rules.ts';
import { readActing } from '../tenancy/acting.ts';
import type { FilePosition } from './records.ts';
import { type Mode, writeRow } from './row.ts';

/** A row of a batch: the call that writes it, or why it cannot be written. */
export interface ImportRow {
  readonly line: number;
  /** The place after it. */
  readonly end: FilePosition;
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
export interface RowResult {
  readonly line: number;
  readonly id: number | null;
  readonly external_id: string | null;
  readonly result: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly errors: readonly RowError[];
}

/** What the rows of an import are written to, and how. */
export interface ImportTarget {
  readonly importId: number;
  /** In whose name they are written. */
  readonly apiUserId: number;
  readonly resource: Resource;
  readonly rules: Rules;
  readonly mode: Mode;
  readonly dryRun: boolean;
  /** After these a batch ends with the row in progress. */
  readonly milliseconds: number;
  readonly log: Logger;
}

/** The rows of a batch, for those in whose name they are written. */
export type RowsFor = (principal: Principal) => Promise<readonly ImportRow[]>;

/** `taken`: another process is at work on the import, or was; `paused`: the tenant is disabled. */
export type Hindrance = 'taken' | 'paused';

/**
 * Writes as many rows as there is time for in one transaction, with their results.
 * Each is written in a part of its own, with the place after it. In whose name, and whether they may be written, is
 * asked in that transaction.
 * @param begin where the rows begin
 * @returns the number of rows written, or why none has been
 * @throws ApiError if the API user may no longer write the resource, as a request would be rejected
 */
export const writeBatch = (
  rows: RowsFor,
  target: ImportTarget,
  begin: FilePosition,
  db: TenantDb,
): Promise<number | Hindrance> =>
  db.joined(async (parts, transaction) => {
    keepCopies(transaction);
    const claimed = transaction.defer(claim(target.importId, begin, transaction));
    const { active, principal } = await readActing(target.apiUserId, transaction);
    if ((await claimed)[0].length === 0) return 'taken';
    if (!active) return 'paused';
    const given = await rows(requireWritable(principal, target.resource));
    const write = (written: TenantDb) => writeRows(given, target, written);
    const results = target.dryRun ? await rehearse(parts).joined(write) : await write(parts);
    await keep(target.importId, results, given[results.length - 1]?.end ?? begin, transaction);
    return results.length;
  });

/** Locks the import until the transaction ends, if it still is where the rows begin. */
const claim = (importId: number, { position }: FilePosition, { kysely }: Transaction) =>
  kysely
    .selectFrom('imports')
    .select('id')
    .where('id', '=', importId)
    .where('position', '=', position)
    .where('status', 'in', ['queued', 'running'])
    .forUpdate()
    .skipLocked();

/** @throws ApiError if the API user can no longer write the resource, as a request would be rejected */
const requireWritable = (principal: Principal | null, resource: Resource): Principal => {
  if (!principal)
    throw new ApiError('token_revoked', { message: 'The API user who sent the import has been disabled.' });
  const { tenant, apiUser } = principal;
  if (!isAllowed(apiUser, resource.name, 'read')) throw scopeMissing(resource.name);
  if (apiUser.readOnly || !isAllowed(apiUser, resource.name, 'write'))
    throw new ApiError('read_only_user', {
      message: `The API user who sent the import may no longer write ${resource.name}.`,
    });
  if (resource.module !== null && !tenant.modules.has(resource.module))
    throw new ApiError('module_disabled', { message: `The tenant does not have the module ${resource.module}.` });
  return principal;
};

/**
 * Writes rows until the time is over or a row has a record that one before it has changed.
 * The entries of a transaction say what differs after it. A rehearsal, which has no entries, goes on, since what it
 * has written is gone with its transaction.
 */
const writeRows = async (
  rows: readonly ImportRow[],
  target: ImportTarget,
  db: TenantDb,
): Promise<readonly RowResult[]> => {
  const results: RowResult[] = [];
  const made = new Set<number>();
  const changed = new Set<number>();
  const end = performance.now() + target.milliseconds;
  for (const row of rows) {
    const result = await resultOf(row, target, db, changed);
    if (!result) break;
    if (result.result === 'created' && result.id !== null) made.add(result.id);
    if (!target.dryRun && result.id !== null && isWritten(result)) changed.add(result.id);
    results.push(target.dryRun ? withoutIds(result, made) : result);
    if (performance.now() >= end) break;
  }
  return results;
};

const isWritten = ({ result }: RowResult): boolean => result === 'created' || result === 'updated';

/** Returns the result of a rehearsed row without the ids of records that exist only until it ends. */
const withoutIds = ({ id, errors, ...result }: RowResult, made: ReadonlySet<number>): RowResult => ({
  ...result,
  id: id !== null && made.has(id) ? null : id,
  errors: errors.map(error => {
    const { code, field, ...says } = error;
    const numbers = JSON.stringify(says).match(/\d+/g) ?? [];
    return numbers.some(number => made.has(Number(number))) ? { code, field, message: messageOf(code) } : error;
  }),
});

const resultOf = async (
  { line, call, errors }: ImportRow,
  target: ImportTarget,
  db: TenantDb,
  changed: ReadonlySet<number>,
): Promise<RowResult | null> => {
  const { resource, rules, mode } = target;
  const named = call ? namedBy(call.body, resource) : { id: null, external_id: null };
  if (!call) return { line, ...named, result: 'failed', errors };
  try {
    const written = await translateConstraints(resource, () =>
      db.transaction(transaction => writeRow(call, mode, resource, transaction, rules, changed)),
    );
    if (!written) return null;
    const { id, outcome } = written;
    return { line, ...named, id, result: outcome, errors: [] };
  } catch (error) {
    return {
      line,
      ...named,
      result: 'failed',
      errors: errorsOf(presented(error, call.principal.apiUser, resource.name), target, line),
    };
  }
};

/** The ids that a row has. */
const namedBy = (body: Call['body'], { key, externalKey = '' }: Resource): Pick<RowResult, 'id' | 'external_id'> => {
  const [id, externalId] = [body[key], body[externalKey]];
  return {
    id: typeof id === 'number' && Number.isSafeInteger(id) ? id : null,
    external_id: typeof externalId === 'string' ? externalId.slice(0, 190) : null,
  };
};

/** After these the whole batch is repeated. */
const passing: ReadonlySet<DatabaseErrorKind> = new Set(['conflict', 'timeout', 'unavailable', 'stale', 'uncertain']);

const errorsOf = (error: unknown, { log, importId }: ImportTarget, line: number): readonly RowError[] => {
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
  results: readonly RowResult[],
  { position, lines }: FilePosition,
  { kysely }: Transaction,
): Promise<void> => {
  const count = (kind: RowResult['result']) => results.filter(({ result }) => result === kind).length;
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
