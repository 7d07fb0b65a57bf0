import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { TenantFields } from '../attributes/tenant-fields.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import type { Database } from '../db/open.ts';
import { actAs } from '../domain/occurrences/cause.ts';
import { enqueue } from '../domain/occurrences/enqueue.ts';
import type { Occurrence } from '../domain/occurrences/trigger.ts';
import { findTenantById } from '../tenancy/directory.ts';
import { payloadOf } from './payload.ts';
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

const PENDING = 1;
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

/** Attempts a delivery, if it is still pending, and stores the outcome. Returns whether it was to change records. */
export const deliver = async (job: Job, dependencies: Dependencies): Promise<boolean> => {
  const { database, log, now } = dependencies;
  const tenant = await findTenantById(database, job.tenant_id);
  if (!tenant) return false;
  const db = database.forTenant(tenant);
  const delivery = await db.snapshot(transaction => read(job.delivery_id, transaction));
  if (!delivery) return false;
  const started = performance.now();
  const routine = routines[delivery.routine_type];
  const elapsed = () => Math.round(performance.now() - started);
  const present = () => new Date(now().getTime() + tenant.clockAhead);
  const store = (outcome: Outcome) =>
    db.transaction(transaction => settle(delivery, outcome, elapsed(), present(), transaction));
  let outcome: Outcome = { error: 'module_disabled' };
  if (!tenant.modules.has('automations')) await store(outcome);
  else if (routine) {
    const by = { type: 'automation', id: delivery.automation_id } as const;
    const acting = database.forTenant(tenant, undefined, { by, requestId: null });
    outcome = await changeRecords(delivery, routine, acting, elapsed, present);
  } else {
    outcome = await post(delivery, db, present, dependencies);
    await store(outcome);
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
  return routine !== undefined;
};

type Delivery = NonNullable<Awaited<ReturnType<typeof read>>>;

/**
 * Reads a pending delivery with its automation's routine; undefined if there is none. One of a sandbox must be due by its clock: when that
 * is moved, deliveries run without their jobs, which then find the next attempt.
 */
const read = (id: number, { kysely, tenant }: Transaction) =>
  kysely
    .selectFrom('automation_deliveries as d')
    .innerJoin('automations as a', 'a.id', 'd.automation_id')
    .select(['d.id', 'd.automation_id', 'd.event_id', 'd.event_type', 'd.data', 'd.depth', 'd.attempt', 'd.created_at'])
    .select([
      'd.is_test',
      'd.lane',
      'a.trigger_type',
      'a.trigger_configuration',
      'a.routine_type',
      'a.routine_configuration',
    ])
    .select('a.api_user_id')
    .$narrowType<{ data: Occurrence }>()
    .where('d.id', '=', id)
    .where('d.status', '=', PENDING)
    .$if(tenant.sandbox, query => query.where('d.next_attempt_at', '<=', sql<string>`tenant_now()`))
    .executeTakeFirst();

const post = async (
  delivery: Delivery,
  db: TenantDb,
  present: () => Date,
  dependencies: Dependencies,
): Promise<Outcome> => {
  const { database, send, fields, attempts, now } = dependencies;
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

/** Runs a routine and stores its outcome in one transaction, so that the change is made exactly once. */
const changeRecords = (
  { id, automation_id: automationId }: Delivery,
  routine: Routine,
  db: TenantDb,
  elapsed: () => number,
  present: () => Date,
): Promise<Outcome> =>
  db.transaction(async transaction => {
    const { kysely } = transaction;
    await kysely.selectFrom('automation_deliveries').select('id').where('id', '=', id).forUpdate().execute();
    const delivery = await read(id, transaction);
    if (!delivery) return { error: null };
    actAs({ automationId, depth: delivery.depth }, transaction);
    const configuration = JSON.parse(delivery.routine_configuration);
    const outcome = { error: await routine(configuration, delivery.data, transaction) };
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
