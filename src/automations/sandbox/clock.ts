import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TenantDb, Transaction } from '../../db/database.ts';
import type { Database } from '../../db/open.ts';
import { finishConflicts } from '../../domain/conflicts/rebuild.ts';
import { triggerDue } from '../../domain/occurrences/time-based.ts';
import { findTenantById } from '../../tenancy/directory.ts';
import { type DeliveryDependencies, deliver } from '../deliver.ts';
import { followJournal } from '../follow.ts';

/** What moving the clock of a sandbox needs: its webhooks are not sent. */
export type ClockDependencies = Omit<DeliveryDependencies, 'send'>;

/**
 * Moves the clock of a sandbox to its due time, and runs the automations that become due on the way.
 * Each runs with the clock at its moment, in their order. Several processes may do so at once, and what one of them
 * leaves undone, another one does.
 * @returns false if the tenant has been disabled meanwhile: the clock goes on when it is enabled
 */
export const moveClock = async (tenantId: number, given: ClockDependencies): Promise<boolean> => {
  const { database } = given;
  const dependencies: DeliveryDependencies = { ...given, send: notSent };
  const tenant = await findTenantById(database, tenantId);
  if (!tenant) return false;
  const automated = tenant.modules.has('automations');
  let moment: string | null = null;
  for (;;) {
    const step = await stepTo(moment, tenantId, database);
    if (!step) return false;
    const db = database.forTenant({ ...tenant, clockAhead: step.ahead });
    const isActive = automated ? await runDue(db, dependencies) : !(await finishConflicts(db)).isOutdated;
    // Of one that is being reset, nothing is left to move.
    if (!isActive) return (await stepTo(null, tenantId, database)) !== undefined;
    if (step.due === null) return true;
    const next = automated ? await nextDue(db) : null;
    moment = next !== null && Date.parse(next) < Date.parse(step.due) ? next : step.due;
  }
};

/** Finishes the moves of clocks that a process has begun and not finished. */
export const finishMoves = async (dependencies: ClockDependencies): Promise<void> => {
  const { rows } = await dependencies.database.ask({
    name: 'moving_clocks',
    text: 'select moving_clocks()',
    values: [],
  });
  for (const [id] of rows) await moveClock(Number(id), dependencies);
};

const notSent = () => Promise.reject(new Error('A webhook of a sandbox must not be sent.'));

interface ClockStep {
  readonly ahead: number;
  readonly due: string | null;
}

/** Moves the clock (null: not at all); undefined: the tenant is disabled, or not a sandbox. */
const stepTo = async (
  moment: string | null,
  id: number,
  database: Pick<Database, 'ask'>,
): Promise<ClockStep | undefined> => {
  const { rows } = await database.ask({
    name: 'step_clock',
    text: 'select ahead, due from step_clock($1::bigint, $2::timestamptz)',
    values: [String(id), moment],
  });
  const [row] = rows;
  return row && { ahead: Number(row[0]), due: row[1] ?? null };
};

/**
 * Runs what is due at the present of the clock, and what follows from it.
 * Returns false if the tenant has been disabled.
 */
const runDue = async (db: TenantDb, dependencies: DeliveryDependencies): Promise<boolean> => {
  for (let again = true; again; ) {
    if ((await finishConflicts(db)).isOutdated) return false;
    await followChanges(db, dependencies);
    const due = await db.transaction(async transaction => {
      await triggerDue(await presentOf(transaction), transaction);
      return dueDeliveries(transaction);
    });
    again = due.length === BATCH;
    for (const { id } of due) {
      const outcome = await deliver({ tenant_id: db.tenant.id, delivery_id: id, target: null }, dependencies);
      if (outcome === 'postponed') return false;
      if (outcome === 'changed') again = true;
    }
  }
  return true;
};

/** Milliseconds. */
const LOOK = 20;
/**
 * For how long transactions are waited for that could still precede a change.
 * What comes later, the followers of journals find.
 */
const TIMEOUT = 5_000;

/** Adds the deliveries for all committed changes, if automations wait for some. */
const followChanges = async (db: TenantDb, { fields }: DeliveryDependencies): Promise<void> => {
  const end = performance.now() + TIMEOUT;
  while (await hasNews(db)) {
    const { more } = await followJournal(db, fields);
    if (more) continue;
    if (performance.now() > end) return;
    if (await hasNews(db)) await pause(LOOK);
  }
};

/** Whether there are changes that automations have not received. */
const hasNews = async (db: TenantDb): Promise<boolean> => {
  const [result] = await db.read({
    name: 'sandbox_news',
    text: `
      select exists (select from automations where tenant_id = $1 and trigger_type = 'record.changed') and (
        exists (select from journal where tenant_id = $1 and position is null)
        or (select position from journal_heads where tenant_id = $1)
          > coalesce((select position from automation_followers where tenant_id = $1), 0)
      )`,
    values: [String(db.tenant.id)],
  });
  return result?.rows[0]?.[0] === 't';
};

const presentOf = async ({ kysely }: Transaction): Promise<Date> => {
  const row = await kysely.selectNoFrom(sql<string>`tenant_now()`.as('present')).executeTakeFirstOrThrow();
  return new Date(row.present);
};

const dueDeliveries = ({ kysely }: Transaction) =>
  kysely
    .selectFrom('automation_deliveries')
    .select('id')
    .where('status', '=', 1)
    .where('next_attempt_at', '<=', sql<string>`tenant_now()`)
    .orderBy('next_attempt_at')
    // The order in which they were added, which is not that of ids handed out by several processes.
    .orderBy('sequence')
    .limit(BATCH)
    .execute();

const BATCH = 500;

/** The next moment at which something becomes due; null: there is none. */
const nextDue = async (db: TenantDb): Promise<string | null> => {
  const [result] = await db.read({ name: null, text: 'select next_due($1::bigint)', values: [String(db.tenant.id)] });
  return result?.rows[0]?.[0] ?? null;
};
