import type { Call } from '../core/call/call.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import type { Json } from '../core/json/value.ts';
import { completeSet } from '../core/resource/fields.ts';
import { referencesOf } from '../core/resource/references.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../db/errors.ts';
import { translateConstraints } from '../engine/constraints.ts';
import type { Written } from '../engine/write.ts';
import { warningsOf } from '../engine/writing/warnings.ts';
import { type ImportRow, type ImportTarget, type RowError, type RowResult, writeRow } from './row.ts';

/** At most so many rows are written at the same time. */
const together = 128;

/**
 * Writes rows until the time is over or a row has a record that one before it has changed.
 * Rows that do not depend on each other are written at the same time. The entries of a transaction say what differs after it. A rehearsal,
 * which has no entries, goes on, since what it has written is gone with its transaction.
 */
export const writeRows = async (
  rows: readonly ImportRow[],
  target: ImportTarget,
  db: TenantDb,
): Promise<readonly RowResult[]> => {
  const results: RowResult[] = [];
  const made = new Set<number>();
  const changed = new Set<number>();
  const end = performance.now() + target.milliseconds;
  while (results.length < rows.length) {
    const set = setOf(rows, results.length, target);
    const written = await writeSet(set, target, db, changed);
    for (const result of written) {
      if (result.result === 'created' && result.id !== null) made.add(result.id);
      if (!target.dryRun && result.id !== null && isWritten(result)) changed.add(result.id);
    }
    results.push(...(target.dryRun ? written.map(result => withoutIds(result, made)) : written));
    if (written.length < set.length && !(target.dryRun && written.length > 0)) break;
    if (performance.now() >= end) break;
  }
  return results;
};

/** Returns the next rows that can be written at the same time: those that name different records. */
const setOf = (rows: readonly ImportRow[], start: number, target: ImportTarget): readonly ImportRow[] => {
  const named = new Set<number | string>();
  const call = rows.find(row => row.call !== null)?.call ?? null;
  const most = call === null || isIndependent(target, call) ? together : 1;
  let end = start;
  for (; end < Math.min(rows.length, start + most); end++) {
    const { call } = rows[end] as ImportRow;
    const names = call ? Object.values(namedBy(call.body, target.resource)).filter(name => name !== null) : [];
    if (names.some(name => named.has(name))) break;
    for (const name of names) named.add(name);
  }
  return rows.slice(start, end);
};

/** Whether no row of a resource is judged by records that others of its rows write. */
const isIndependent = ({ resource, rules }: ImportTarget, { fields }: Call): boolean =>
  (rules === undefined || rules.independent === true) &&
  !completeSet(fields.get(resource)).fields.some(field =>
    referencesOf(field).some(reference => reference.resource === resource.name),
  );

/** What has become of a row. */
interface WrittenRow extends Written, Pick<RowResult, 'warnings'> {}

/** A row's record is one that another row of the transaction has written. */
class Taken extends Error {}

/**
 * Writes rows at the same time.
 * If the database rejects them, it writes each half by itself, down to the row that is rejected.
 * @returns their results, or those of the rows before one whose record is taken
 */
const writeSet = async (
  rows: readonly ImportRow[],
  target: ImportTarget,
  db: TenantDb,
  changed: ReadonlySet<number>,
): Promise<readonly RowResult[]> => {
  try {
    const written = await writeTogether(rows, target, db, changed);
    return rows.map((row, index) => resultOf(row, written[index], target));
  } catch (error) {
    if (rows.length > 1) {
      if (isPassing(error)) throw error;
      const half = Math.ceil(rows.length / 2);
      const first = await writeSet(rows.slice(0, half), target, db, changed);
      if (first.length < half) return first;
      const then = new Set([
        ...changed,
        ...first.flatMap(result => (isWritten(result) && result.id !== null ? [result.id] : [])),
      ]);
      return [...first, ...(await writeSet(rows.slice(half), target, db, target.dryRun ? changed : then))];
    }
    if (error instanceof Taken) return [];
    return rows.map(row => resultOf(row, { status: 'rejected', reason: error }, target));
  }
};

/** Writes rows in a part of the transaction. @throws Error if one cannot be written with the others */
const writeTogether = async (
  rows: readonly ImportRow[],
  { resource, rules, mode }: ImportTarget,
  db: TenantDb,
  changed: ReadonlySet<number>,
): Promise<readonly (PromiseSettledResult<WrittenRow> | undefined)[]> => {
  const calls = rows.flatMap(({ call }) => call ?? []);
  if (calls.length === 0) return [];
  const taken = new Set(changed);
  const isTaken = (id: number): boolean => taken.has(id) || !taken.add(id);
  const settled = await translateConstraints(resource, () =>
    db.transaction(async transaction => {
      const all = await transaction.together(
        calls.map(call => async part => {
          const written = await writeRow(call, mode, resource, part, rules ?? {}, isTaken);
          if (!written) throw new Taken();
          return { ...written, warnings: warningsOf(part) };
        }),
      );
      const refused = all.find(result => result.status === 'rejected' && result.reason instanceof Taken);
      if (refused?.status === 'rejected') throw refused.reason;
      return all;
    }),
  );
  const rest = settled.values();
  return rows.map(({ call }) => (call ? rest.next().value : undefined));
};

const isWritten = ({ result }: RowResult): boolean => result === 'created' || result === 'updated';

/** Returns the result of a rehearsed row without the ids of records that exist only until it ends. */
const withoutIds = ({ id, errors, warnings, ...result }: RowResult, made: ReadonlySet<number>): RowResult => ({
  ...result,
  warnings: warnings.map(warning => withoutMade(warning, made)),
  id: id !== null && made.has(id) ? null : id,
  errors: errors.map(error => {
    const { code, field, ...says } = error;
    if (code === 'work_rule') return withoutMade(error, made);
    const numbers = JSON.stringify(says).match(/\d+/g) ?? [];
    return numbers.some(number => made.has(Number(number))) ? { code, field, message: messageOf(code) } : error;
  }),
});

/** Returns the breach of a rule without the ids of records that exist only until a rehearsal ends. */
const withoutMade = <Breach extends Json | RowError>(breach: Breach, made: ReadonlySet<number>): Breach =>
  Object.fromEntries(
    Object.entries(breach as object).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.filter(id => !made.has(id)) : value,
    ]),
  ) as Breach;

/** @param written what has become of its call; undefined: it has none */
const resultOf = (
  { line, call, errors }: ImportRow,
  written: PromiseSettledResult<WrittenRow> | undefined,
  target: ImportTarget,
): RowResult => {
  const named = call ? namedBy(call.body, target.resource) : { id: null, external_id: null };
  if (!call || !written) return { line, ...named, result: 'failed', errors, warnings: [] };
  if (written.status === 'fulfilled') {
    const { id, outcome, warnings } = written.value;
    return { line, ...named, id, result: outcome, errors: [], warnings };
  }
  const says = errorsOf(written.reason, target, line);
  return { line, ...named, result: 'failed', errors: says, warnings: [] };
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

const isPassing = (error: unknown): boolean => error instanceof DatabaseError && passing.has(error.kind);

const errorsOf = (error: unknown, { log, importId }: ImportTarget, line: number): readonly RowError[] => {
  if (isPassing(error)) throw error;
  if (error instanceof ApiError) return rowErrors(error);
  log.error({ err: error, import: importId, line }, 'A row could not be imported because of an unexpected error.');
  return rowErrors(new ApiError('internal_error'));
};

/** The errors of a row that has been rejected as a request would be. */
export const rowErrors = ({ code, message, errors }: ApiError): readonly RowError[] =>
  errors ?? [{ code, field: '', message }];
