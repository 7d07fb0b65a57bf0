import type { Logger } from 'pino';
import type { TenantFields } from '../attributes/tenant-fields.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import type { Database } from '../db/open.ts';
import { actAs } from '../domain/occurrences/cause.ts';
import { enqueue } from '../domain/occurrences/enqueue.ts';
import { findTenantById } from '../tenancy/directory.ts';
import { payloadOf } from './payload.ts';
import { type Delivery, obstacleTo, PENDING, readPending } from './pending.ts';
import { nextAttempt } from './retries.ts';
import { type Routine, routines } from './routines.ts';
import { putIntoInbox, type Received, receive } from './sandbox/inbox.ts';
import { readSecrets } from './secret.ts';
import type { SendWebhook } from './webhook.ts';

/** The payload of a queue job: the delivery to attempt. */
export interface Job {
  readonly tenant_id: number;
  readonly delivery_id: number;
  /** The host that it is sent to; null: it is not sent. */
  readonly target: string | null;
}

/** The dependencies of deliveries. */
export interface Dependencies {
  readonly database: Database;
  readonly send: SendWebhook;
  /** The fields of the tenants' records, which webhooks can contain. */
  readonly fields: TenantFields;
  /** Maximum number of attempts of a webhook. */
  readonly attempts: number;
  readonly log: Logger;
  /** The real time. */
  readonly now: () => Date;
}

const SUCCEEDED = 2;
const FAILED = 3;

interface Outcome {
  readonly error: string | null;
  readonly responseStatus?: number | null;
  /** Time of the next attempt; null: none. */
  readonly next?: Date | null;
  /** Host of a webhook's URL, for the log: its path and query may contain a secret. */
  readonly host?: string | undefined;
  /** The webhook, if a sandbox's inbox has received it. */
  readonly received?: Received | null;
}

/**
 * What became of a delivery: it has changed records, or not, or it is left to be attempted later, since its tenant is disabled. `done` also
 * stands for a delivery that is not pending.
 */
export type Attempt = 'changed' | 'done' | 'postponed';

/** Attempts a delivery, if it is still pending, and stores the outcome. */
export const deliver = async (job: Job, dependencies: Dependencies): Promise<Attempt> => {
  const { database, log, now } = dependencies;
  const tenant = await findTenantById(database, job.tenant_id);
  if (!tenant) return 'postponed';
  const db = database.forTenant(tenant);
  const delivery = await db.snapshot(transaction => readPending(job.delivery_id, transaction));
  if (!delivery) return 'done';
  if (!delivery.tenant_active) return 'postponed';
  const started = performance.now();
  const routine = routines[delivery.routine_type];
  const elapsed = () => Math.round(performance.now() - started);
  const present = () => new Date(now().getTime() + tenant.clockAhead);
  let outcome: Outcome | null;
  if (routine) {
    const by = { type: 'automation', id: delivery.automation_id } as const;
    const acting = database.forTenant(tenant, undefined, { by, requestId: null });
    outcome = await changeRecords(delivery, routine, acting, elapsed, present);
    if (!outcome) return 'postponed';
  } else {
    const result = await post(delivery, db, present, dependencies);
    await db.transaction(transaction => settle(delivery, result, elapsed(), present(), transaction));
    outcome = result;
  }
  const { id, automation_id, event_type, attempt } = delivery;
  const { error, responseStatus, next } = outcome;
  log[error === null ? 'info' : 'warn'](
    {
      tenant: tenant.slug,
      automation: automation_id,
      delivery: id,
      event: event_type,
      attempt: attempt + 1,
      ms: elapsed(),
      ...(outcome.host && { host: outcome.host }),
      ...(error !== null && { error }),
      ...(responseStatus && { response_status: responseStatus }),
      ...(next && { next_attempt_at: next.toISOString() }),
    },
    error === null ? 'automation done' : 'automation failed',
  );
  return routine ? 'changed' : 'done';
};

const post = async (
  delivery: Delivery,
  db: TenantDb,
  present: () => Date,
  dependencies: Dependencies,
): Promise<Outcome> => {
  const { database, send, fields, attempts, now } = dependencies;
  const obstacle = obstacleTo(delivery, db.tenant);
  if (obstacle) return { error: obstacle };
  const { url, headers = {} } = JSON.parse(delivery.routine_configuration);
  const message = {
    url,
    headers,
    id: delivery.event_id,
    timestamp: now(),
    payload: await payloadOf(delivery, db, fields),
    secrets: await readSecrets(database, db.tenant.id),
  };
  const received = db.tenant.sandbox ? receive(message) : null;
  const { status, error } = received?.response ?? (await send(message));
  const final = error === null || error === 'target_refused' || error === 'https_required' || status === GONE;
  const next = final ? null : nextAttempt(delivery.attempt + 1, attempts, present());
  return { error, responseStatus: status, next, host: URL.parse(url)?.host, received };
};

/** The status with which a receiver unsubscribes (Standard Webhooks). */
const GONE = 410;

/**
 * Runs a routine and stores its outcome in one transaction, so that the change is made exactly once.
 * @returns null: the tenant has been disabled
 */
const changeRecords = (
  { id, automation_id: automationId }: Delivery,
  routine: Routine,
  db: TenantDb,
  elapsed: () => number,
  present: () => Date,
): Promise<Outcome | null> =>
  db.transaction(async transaction => {
    const { kysely } = transaction;
    await kysely.selectFrom('automation_deliveries').select('id').where('id', '=', id).forUpdate().execute();
    const delivery = await readPending(id, transaction);
    if (!delivery) return { error: null };
    if (!delivery.tenant_active) return null;
    actAs({ automationId, depth: delivery.depth }, transaction);
    const configuration = JSON.parse(delivery.routine_configuration);
    const error = obstacleTo(delivery, db.tenant) ?? (await routine(configuration, delivery.data, transaction));
    const outcome = { error };
    await settle(delivery, outcome, elapsed(), present(), transaction);
    return outcome;
  });

const settle = async (
  delivery: Delivery,
  { error, responseStatus = null, next = null, received = null }: Outcome,
  duration: number,
  now: Date,
  transaction: Transaction,
): Promise<void> => {
  const { id, attempt, automation_id: automationId, lane } = delivery;
  const settled = await transaction.kysely
    .updateTable('automation_deliveries')
    .set({
      status: error === null ? SUCCEEDED : next ? PENDING : FAILED,
      attempt: attempt + 1,
      response_status: responseStatus,
      error,
      duration,
      attempted_at: wholeSecond(now),
      next_attempt_at: next && wholeSecond(next),
    })
    .where('id', '=', id)
    .where('status', '=', PENDING)
    .where('attempt', '=', attempt)
    .returning(['id', 'next_attempt_at'])
    .execute();
  if (received && settled.length > 0) await putIntoInbox(received, delivery, transaction);
  const following =
    attempt === 0 && lane !== null && settled.length > 0 ? await nextInLane(automationId, lane, transaction) : [];
  await enqueue([...settled, ...following], transaction);
};

/** The delivery of the lane whose first attempt follows: in a statement of its own, which sees what was added meanwhile. */
const nextInLane = (automationId: number, lane: string, { kysely }: Transaction) =>
  kysely
    .selectFrom('automation_deliveries')
    .select(['id', 'next_attempt_at'])
    .where('automation_id', '=', automationId)
    .where('lane', '=', lane)
    .where('status', '=', PENDING)
    .where('attempt', '=', 0)
    .orderBy('position')
    .limit(1)
    .execute();

const wholeSecond = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
