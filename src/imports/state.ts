import { sql } from 'kysely';
import type { TenantDb, Transaction } from '../db/database.ts';
import type { FilePosition } from './records.ts';

/** The queue of the jobs that `enqueue_import` adds. */
export const importQueue = 'imports';

const unfinished = ['queued', 'running'] as const;

/** Reads the oldest unfinished import of the tenant: its imports are processed one after the other. */
export const readOldest = (db: TenantDb) => db.snapshot(oldest);

export type Import = NonNullable<Awaited<ReturnType<typeof readOldest>>>;

const oldest = ({ kysely }: Transaction) =>
  kysely
    .selectFrom('imports')
    .select(['id', 'resource', 'mode', 'dry_run', 'api_user_id', 'request_id', 'parameters', 'format'])
    .select(['content', 'size', 'position', 'lines', 'updated_at'])
    .where('status', 'in', unfinished)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** Returns whether an import of the tenant is still to be processed, or its rest. */
export const isUnfinished = async (id: number, db: TenantDb): Promise<boolean> => {
  const found = await db.snapshot(({ kysely }) =>
    kysely.selectFrom('imports').select('id').where('id', '=', id).where('status', 'in', unfinished).executeTakeFirst(),
  );
  return found !== undefined;
};

/** Adds a job for the oldest unfinished import of the tenant, if there is one. */
export const enqueueOldest = (db: TenantDb): Promise<void> =>
  db.transaction(async ({ kysely }) => {
    await kysely.selectNoFrom(sql`enqueue_oldest_import()`.as('enqueued')).execute();
  });

/**
 * Adds a job for an import, after the transaction that stores it.
 * The sweep finds one that has lost its job in between.
 */
export const enqueue = (id: number, transaction: Transaction): void =>
  transaction.afterwards({ name: 'enqueue_import', text: 'select enqueue_import($1::bigint)', values: [String(id)] });

/**
 * Ends an import.
 * @param place where its rows end; null: wherever it is
 * @param error why not all of its rows have been processed; null: they have
 * @returns whether this call has ended it
 */
export const endImport = (
  id: number,
  place: FilePosition | null,
  error: string | null,
  db: TenantDb,
): Promise<boolean> =>
  db.transaction(async ({ kysely }) => {
    const ended = await kysely
      .updateTable('imports')
      .set({
        status: error === null ? 'done' : 'failed',
        error,
        content: null,
        updated_at: sql<string>`date_trunc('second', now())`,
      })
      .where('id', '=', id)
      .where('status', 'in', unfinished)
      .$if(place !== null, query => query.where('position', '=', place?.position ?? 0))
      .executeTakeFirst();
    return ended.numUpdatedRows > 0n;
  });
