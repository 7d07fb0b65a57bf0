import { sql } from 'kysely';
import { ApiError } from '../core/errors.ts';
import type { Principal } from '../core/principal.ts';
import { isAllowed, scopeMissing } from '../core/resource/access.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { rehearse } from '../db/rehearsal.ts';
import { keepCopies } from '../engine/forget/copies.ts';
import { readActing } from '../tenancy/acting.ts';
import type { FilePosition } from './records.ts';
import type { ImportRow, ImportTarget, RowResult } from './row.ts';
import { writeRows } from './write-rows.ts';

/** The rows of a batch, for those in whose name they are written. */
export type RowsFor = (principal: Principal) => Promise<readonly ImportRow[]>;

/** `taken`: another process is at work on the import, or was; `paused`: the tenant is disabled. */
export type Hindrance = 'taken' | 'paused';

/**
 * Writes as many rows as there is time for in one transaction, with their results.
 * In whose name, and whether they may be written, is asked in that transaction.
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
    keep(target.importId, results, given[results.length - 1]?.end ?? begin, transaction);
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

/** Stores the results of rows, and how far the import is, with the commit. */
const keep = (
  importId: number,
  results: readonly RowResult[],
  { position, lines }: FilePosition,
  transaction: Transaction,
): void => {
  const { kysely } = transaction;
  const count = (kind: RowResult['result']) => results.filter(({ result }) => result === kind).length;
  const rows = results.map(({ external_id, errors, warnings, ...rest }) => ({
    ...rest,
    import_id: importId,
    external_id: external_id === null ? null : storable(external_id),
    errors: JSON.stringify(errors, (_, value) => (typeof value === 'string' ? storable(value) : value)),
    warnings: JSON.stringify(warnings),
  }));
  const kept = kysely.insertInto('import_results').values(rows);
  const reached = kysely
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
    .where('id', '=', importId);
  void transaction.defer(kept, reached);
};

/** Replaces what the database cannot store in strings: messages repeat parts of rows that are invalid. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
