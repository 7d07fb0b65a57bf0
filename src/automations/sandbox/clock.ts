import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TenantDb } from '../../db/database.ts';
import type { Database } from '../../db/open.ts';
import { findTenantById } from '../../tenancy/directory.ts';
import { type Dependencies, deliver } from '../deliver.ts';
import { nextEvent, nextFunction, nextRetry } from '../due.ts';
import { followJournal } from '../follow.ts';
import { scanTenant } from '../scan.ts';

/** What moving the clock of a sandbox needs: its webhooks are not sent. */
export type ClockDependencies = Omit<Dependencies, 'send'>;

/**
 * Moves the clock of a sandbox to what it is due to be moved to, and runs the automations that become due on the way: each with the clock
 * at its moment, in their order. Several processes may do so at once, and what one of them leaves undone, another one does.
 */
export const moveClock = async (tenantId: number, given: ClockDependencies): Promise<void> => {
  const { database } = given;
  const dependencies: Dependencies = { ...given, send: notSent };
  for (;;) {
    const tenant = await findTenantById(database, tenantId);
    if (!tenant?.sandbox) return;
    const db = database.forTenant(tenant);
    const active = tenant.modules.has('automations');
    if (active) await runDue(db, dependencies);
    const due = await clockDueOf(tenantId, database);
    if (due === null) return;
    const next = active ? await nextMoment(db) : null;
    await stepTo(next === null || due < next ? due : next, tenantId, database);
  }
};

/** Finishes the moves of clocks that a process has begun and not finished. */
export const finishMoves = async (dependencies: ClockDependencies): Promise<void> => {
  const { system } = dependencies.database;
  const begun = await system.selectFrom('tenants').select('id').where('clock_due', 'is not', null).execute();
  for (const { id } of begun) await moveClock(id, dependencies);
};

const notSent = () => Promise.reject(new Error('A webhook of a sandbox must not be sent.'));

/** Runs what is due at the present of the clock, until nothing follows from it. */
const runDue = async (db: TenantDb, dependencies: Dependencies): Promise<void> => {
  const attempted = new Set<string>();
  for (;;) {
    await followChanges(db, dependencies);
    const now = new Date((await presentOf(db)).getTime() - db.tenant.clockAhead);
    const added = await scanTenant(db, now);
    const due = (await dueDeliveries(db)).filter(({ id, attempt }) => !attempted.has(`${id} ${attempt}`));
    if (added === 0 && due.length === 0) return;
    for (const { id, attempt } of due) {
      attempted.add(`${id} ${attempt}`);
      await deliver({ tenant_id: db.tenant.id, delivery_id: id, target: null }, dependencies);
    }
  }
};

/** Milliseconds. */
const LOOK = 20;
/** For how long transactions are waited for that could still precede a change; what comes later, the followers of journals find. */
const PATIENCE = 5_000;

/** Adds the deliveries for all committed changes. */
const followChanges = async (db: TenantDb, { fields }: Dependencies): Promise<void> => {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const { more } = await followJournal(db, fields);
    if (more) continue;
    if (performance.now() > end || !(await hasUnnumbered(db))) return;
    await pause(LOOK);
  }
};

/** Whether an automation waits for changes that have no position yet. */
const hasUnnumbered = async (db: TenantDb): Promise<boolean> => {
  const [result] = await db.read({
    name: null,
    text: `
      select exists (select from automations where tenant_id = $1 and trigger_type = 'record.changed')
        and exists (select from journal where tenant_id = $1 and position is null)`,
    values: [String(db.tenant.id)],
  });
  return result?.rows[0]?.[0] === 't';
};

const presentOf = async (db: TenantDb): Promise<Date> => {
  const [result] = await db.read({ name: null, text: 'select tenant_now()', values: [] });
  return new Date(String(result?.rows[0]?.[0]));
};

const dueDeliveries = (db: TenantDb) =>
  db.snapshot(({ kysely }) =>
    kysely
      .selectFrom('automation_deliveries')
      .select(['id', 'attempt'])
      .where('status', '=', 1)
      .where('next_attempt_at', '<=', sql<string>`tenant_now()`)
      .orderBy('next_attempt_at')
      .orderBy('id')
      .limit(BATCH)
      .execute(),
  );

const BATCH = 500;

/** The next moment after the present at which something becomes due; null: none. */
const nextMoment = (db: TenantDb): Promise<Date | null> =>
  db.snapshot(async transaction => {
    const automations = await transaction.kysely
      .selectFrom('automations')
      .select(['trigger_type', 'trigger_configuration'])
      .where('trigger_type', 'in', ['event.starts_in', 'function.understaffed'])
      .execute();
    const moments = [await nextRetry(transaction)];
    for (const { trigger_type, trigger_configuration } of automations) {
      const { minutes = null } = JSON.parse(trigger_configuration);
      const next = trigger_type === 'event.starts_in' ? nextEvent : nextFunction;
      moments.push(await next(minutes, transaction));
    }
    const times = moments.flatMap(moment => (moment === null ? [] : [Date.parse(moment)]));
    return times.length > 0 ? new Date(Math.min(...times)) : null;
  });

const clockDueOf = async (id: number, { system }: Pick<Database, 'system'>): Promise<Date | null> => {
  const row = await system.selectFrom('tenants').select('clock_due').where('id', '=', id).executeTakeFirst();
  return row?.clock_due == null ? null : new Date(row.clock_due);
};

const stepTo = async (moment: Date, id: number, { system }: Pick<Database, 'system'>): Promise<void> => {
  await sql`select step_clock(${id}::bigint, ${moment.toISOString()}::timestamptz)`.execute(system);
};
