import type { JobWithMetadata } from 'pg-boss';
import { startQueue } from '../automations/runner.ts';
import type { Tenant } from '../core/principal.ts';
import { findTenantById } from '../tenancy/directory.ts';
import { createProcess, fail, type ImportJob, type ImportParts } from './process.ts';
import { enqueueOldest, importQueue } from './state.ts';
import { enqueueLost } from './sweep.ts';

/** Milliseconds after which an import lets others have a turn. */
const turn = 5_000;
const options = { batchSize: 1, localConcurrency: 2, pollingIntervalSeconds: 1, includeMetadata: true } as const;
/** Milliseconds to wait for the batches in progress when stopping. */
const timeout = 30_000;

/**
 * Starts processing imports, which the instances of an installation share.
 * A job is the lease of an import: without a heartbeat for 30 seconds (migration of the queue) another process takes it over, and the
 * next process of an embedded database at its start. Imports whose process was killed before it added their job get one.
 * @returns a function that stops it at the end of the batches in progress; another instance, or the next start, continues
 */
export const startImports = async (parts: ImportParts): Promise<() => Promise<void>> => {
  const { database, log } = parts;
  const process = createProcess(parts);
  let stopping = false;
  const queue = await startQueue(database, log, queue =>
    queue.work<ImportJob, void, typeof options>(importQueue, options, async ([job]) => {
      if (!job) return;
      const end = performance.now() + turn;
      await process(job.data, () => !stopping && performance.now() < end).catch(error => giveUp(job, error, parts));
    }),
  );
  const unfound = (error: unknown, tenant?: Tenant) =>
    log.warn({ err: error, tenant: tenant?.slug }, 'Imports without a job could not be found.');
  const seeking = enqueueLost(database, { failed: unfound, goesOn: () => !stopping }).catch(unfound);
  return async () => {
    stopping = true;
    await Promise.all([queue.stop({ graceful: true, close: false, timeout }), seeking]);
  };
};

/**
 * Ends the import of a job that has failed for the last time.
 * @throws the error, if the job will be tried again
 */
const giveUp = async (
  { data, retryCount, retryLimit }: JobWithMetadata<ImportJob>,
  error: unknown,
  { database, files, log }: ImportParts,
): Promise<void> => {
  log.warn({ err: error, import: data.import_id, attempt: retryCount + 1 }, 'An import could not be continued.');
  const tenant = await findTenantById(database, data.tenant_id);
  // The enabling of a tenant adds another job.
  if (!tenant) return;
  if (retryCount < retryLimit) throw error;
  const db = database.forTenant(tenant);
  const found = await db.snapshot(({ kysely }) =>
    kysely.selectFrom('imports').select(['id', 'content']).where('id', '=', data.import_id).executeTakeFirst(),
  );
  if (found) await fail(found, 'An internal error prevents the import from being continued.', db, files);
  await enqueueOldest(db);
};
