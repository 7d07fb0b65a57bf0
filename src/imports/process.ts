import type { Logger } from 'pino';
import { createTenantFields, type TenantFields } from '../attributes/tenant-fields.ts';
import { ApiError } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import { fieldsFor } from '../core/resource/view.ts';
import type { TenantDb } from '../db/database.ts';
import type { Database } from '../db/open.ts';
import type { CheckBody } from '../engine/bodies.ts';
import type { Rules } from '../engine/rules.ts';
import type { Files } from '../files/files.ts';
import { findTenantById } from '../tenancy/directory.ts';
import { type Hindrance, type RowsFor, writeBatch } from './batch.ts';
import { type BatchLimits, readBeginning, readRows } from './content.ts';
import type { CellOptions } from './csv.ts';
import type { ImportTarget } from './row.ts';
import { rowsOf } from './rows.ts';
import { endImport, enqueueOldest, type Import, isUnfinished, readOldest } from './state.ts';

/** What processing imports needs. */
export interface ImportParts {
  readonly database: Database;
  readonly files: Files;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly rules: Readonly<Record<string, Rules>>;
  readonly checkBody: CheckBody;
  readonly cells: CellOptions;
  /** After these a batch ends with the rows in progress; default: half a second. */
  readonly milliseconds?: number;
  /** At most so many rows are in a batch; default: as many as suit the database. */
  readonly rows?: number;
  readonly log: Logger;
}

/** The payload of a queue job. */
export interface ImportJob {
  readonly tenant_id: number;
  readonly import_id: number;
}

/** Processes the import of a job, as long as it may go on. */
export type Process = (job: ImportJob, goesOn: () => boolean) => Promise<void>;

/**
 * At most so many rows are written in one transaction.
 * Fewer where all requests share one connection and would wait for it.
 */
const batches: Readonly<Record<Database['kind'], BatchLimits>> = {
  postgres: { rows: 500, bytes: 8_388_608 },
  embedded: { rows: 100, bytes: 1_048_576 },
};

/** A batch begins by asking who may write, which must hold within a second. */
const longest = 500;

/**
 * Returns the function that processes imports.
 * It stops only between batches, and then adds a job to continue: the workers take turns with all tenants. The job of
 * an import that is not the tenant's oldest ends at once; the end of an import adds that of the next, and so does a job
 * of one that has ended.
 */
export const createProcess = (parts: ImportParts): Process => {
  const { database } = parts;
  const tenantFields = createTenantFields(parts.resources);
  return async ({ tenant_id, import_id }, goesOn) => {
    const tenant = await findTenantById(database, tenant_id);
    if (!tenant) return;
    const db = database.forTenant(tenant);
    const found = await readOldest(db);
    if (found?.id !== import_id) {
      // Its process may have ended, or lost the database, before it added the job of the next.
      if (found && !(await isUnfinished(import_id, db))) await enqueueOldest(db);
      return;
    }
    const error = await processImport(found, { ...parts, tenantFields, db }, goesOn).catch(asFailure);
    // The enabling of a tenant adds the job with which its imports go on.
    if (error === 'taken' || error === 'paused') return;
    if (error !== null) await fail(found, error.message, db, parts.files);
    await enqueueOldest(db);
  };
};

/** Ends an import whose rows cannot all be processed. */
export const fail = async (found: Pick<Import, 'id' | 'content'>, message: string, db: TenantDb, files: Files) => {
  await endImport(found.id, null, message, db);
  await removeContent(found, db, files);
};

const removeContent = async ({ content }: Pick<Import, 'content'>, { tenant }: TenantDb, files: Files) => {
  if (content !== null) await files.remove(tenant.id, content);
};

/** What is repeated later is thrown, everything else ends the import. */
const asFailure = (error: unknown): ApiError => {
  if (error instanceof ApiError && error.status < 500) return error;
  throw error;
};

interface ImportDependencies extends ImportParts {
  readonly tenantFields: TenantFields;
  readonly db: TenantDb;
}

/**
 * Processes rows until all are done or it may not go on.
 * @returns null, or what stands against it
 * @throws ApiError if the rows cannot be read or written at all
 */
const processImport = async (
  found: Import,
  parts: ImportDependencies,
  goesOn: () => boolean,
): Promise<Hindrance | null> => {
  const { db, database, files, tenantFields, resources, rules, checkBody, cells, log } = parts;
  const { id, format, content, size, mode } = found;
  const stored = { tenantId: db.tenant.id, path: content ?? '', size: Number(size) };
  const resource = resources[found.resource];
  if (!resource) throw new ApiError('not_found');
  const apiUserId = Number(found.api_user_id);
  const { header } = await readBeginning(files, stored, format);
  const target: ImportTarget = {
    importId: id,
    apiUserId,
    requestId: found.request_id ?? '',
    parameters: [...new URLSearchParams(found.parameters)],
    header,
    cells,
    checkBody,
    resources,
    resource,
    rules: rules[resource.name],
    mode,
    dryRun: found.dry_run,
    milliseconds: parts.milliseconds ?? longest,
    log,
  };
  const by = { type: 'api_user', id: apiUserId } as const;
  const writing = database.forTenant(db.tenant, undefined, { by, requestId: found.request_id });
  let place = { position: Number(found.position), lines: found.lines };
  const { rows: most, bytes } = batches[database.kind];
  const limits = { rows: parts.rows ?? most, bytes };
  for await (const records of readRows(files, stored, place, header, limits)) {
    for (let left = records; left.length > 0; ) {
      const written = await tenantFields.run(writing, (fields, writing) => {
        const rows: RowsFor = principal =>
          rowsOf(left, target, { principal, fields: fieldsFor(fields, principal.apiUser, resources) });
        return writeBatch(rows, target, place, writing);
      });
      if (typeof written !== 'number') return written;
      place = left[written - 1]?.end ?? place;
      left = left.slice(written);
      if (!goesOn()) return null;
    }
  }
  if (!(await endImport(id, place, null, db))) return 'taken';
  await removeContent(found, db, files);
  return null;
};
