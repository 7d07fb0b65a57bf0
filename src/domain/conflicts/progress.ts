import type { Kysely } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';
import type { Result, Transaction } from '../../db/database.ts';
import { named } from '../../db/enter.ts';
import { headOf, headStatement } from '../../db/journal/number.ts';
import { now } from '../../db/now.ts';

/** How far the conflicts of a tenant are. */
export interface ConflictProgress {
  /** The position in the journal up to which they are those of all changes. */
  readonly position: number;
  /** The position that they reach when nobody's work is left to be judged. */
  readonly target: number;
  /** The epoch of the journal. */
  readonly epoch: string;
  /** What they depend on beside records. */
  readonly basis: string;
  /** Conflicts that had ended by then have been removed (RFC 3339); of no meaning before the first step. */
  readonly since: string;
}

/** The days for which conflicts are kept after their end. */
const KEPT = 400;

/** The tenant's journal, its modules and its clock. */
export interface TenantPresent {
  readonly position: number;
  readonly epoch: string;
  /** Up to which position entries have been deleted. */
  readonly forgotten: number;
  /** Null: the tenant is disabled, or its clock has been set back since it was read. */
  readonly modules: readonly string[] | null;
  /** Since when conflicts are to be kept by now (RFC 3339). */
  readonly since: string;
}

/**
 * Returns how far the conflicts are, locked until the transaction ends.
 * Null: others work on them. The lock ends with its process, and what was left is in the database.
 */
export const lockProgress = async (transaction: Transaction): Promise<ConflictProgress | null> => {
  const { kysely } = transaction;
  await kysely
    .insertInto('conflict_progress')
    .values({ id: 1, position: 0, target: 0, epoch: '', basis: '', since: now })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const locked = progressQuery(kysely).forUpdate().skipLocked();
  return (await locked.executeTakeFirst()) ?? null;
};

/** Returns up to which position in the journal the conflicts are those of all changes. */
export const readPosition = async ({ kysely }: Pick<Transaction, 'kysely'>): Promise<number> =>
  (await progressQuery(kysely).executeTakeFirst())?.position ?? 0;

/** Stores how far the conflicts are. */
export const storeProgress = async (progress: ConflictProgress, { kysely }: Transaction): Promise<void> => {
  await kysely.updateTable('conflict_progress').set(progress).where('id', '=', 1).execute();
};

const progressQuery = (db: Kysely<Tables>) =>
  db.selectFrom('conflict_progress').select(['position', 'target', 'epoch', 'basis', 'since']).where('id', '=', 1);

/** Reads the tenant's journal, its modules and its clock. */
export const readPresent = async (transaction: Transaction): Promise<TenantPresent> => {
  const [head, rest] = await transaction.send(headStatement(transaction.tenant.id), presentStatement);
  const { position = 0, epoch = '', forgotten = 0 } = headOf(head?.rows) ?? {};
  const [modules = null, since, clock] = (rest as Result).rows[0] ?? [];
  // A reset of the sandbox sets its clock back, of which a process hears within a second.
  const isCurrent = modules !== null && Number(clock) >= transaction.tenant.clockAhead;
  return { position, epoch, forgotten, modules: isCurrent ? JSON.parse(modules) : null, since: String(since) };
};

const presentStatement = named(
  'conflicts_present',
  `
    select active_modules(),
      to_char(date_trunc('second', tenant_now()) at time zone 'UTC' - interval '${KEPT} days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      present_clock()`,
);
