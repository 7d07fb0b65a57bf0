import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { TenantFields } from '../attributes/tenant-fields.ts';
import type { Fields } from '../core/resource/fields.ts';
import { presentTimeOf } from '../core/time.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import type { Database } from '../db/open.ts';
import { actAs } from '../domain/occurrences/cause.ts';
import { keepCopies } from '../engine/forget/copies.ts';
import { findTenantById } from '../tenancy/directory.ts';
import { payloadOf } from './payload.ts';
import { type Delivery, type NotNow, obstacleTo, readPending } from './pending.ts';
import { nextAttempt } from './retries.ts';
import { type Routine, routines } from './routines.ts';
import { putIntoInbox, respond } from './sandbox/inbox.ts';
import { readSecrets } from './secret.ts';
import { type DeliveryOutcome, settle, type Timing } from './settle.ts';
import type { SendWebhook, WebhookMessage, WebhookResponse } from './webhook.ts';

/** The payload of a queue job: the delivery to attempt. */
export interface DeliveryJob {
  readonly tenant_id: number;
  readonly delivery_id: number;
  /** The host that it is sent to; null: it is not sent. */
  readonly target: string | null;
}

/** The dependencies of deliveries. */
export interface DeliveryDependencies {
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

/** What became of a delivery: it has changed records, or not, or no attempt was made. */
export type Attempt = 'changed' | NotNow;

/** The stored outcome of an attempt, or why none was made. What is `outdated` has to begin anew. */
type DeliveryResult = DeliveryOutcome | NotNow | 'outdated';

/** Makes an attempt and stores its outcome. */
type CarryOut = (
  delivery: Delivery,
  db: TenantDb,
  timing: Timing,
  dependencies: DeliveryDependencies,
) => Promise<DeliveryResult>;

/** Attempts a delivery, if it is still pending, and stores the outcome. */
export const deliver = async (job: DeliveryJob, dependencies: DeliveryDependencies): Promise<Attempt> => {
  const { database, log, now } = dependencies;
  const tenant = await findTenantById(database, job.tenant_id);
  if (!tenant) return 'postponed';
  const db = database.forTenant(tenant);
  const delivery = await readAlone(job.delivery_id, db);
  if (typeof delivery === 'string') return delivery;
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const timing = { elapsed, present: () => presentTimeOf(tenant, now()) };
  const routine = routines[delivery.routine_type];
  const carryOut = routine ? change(routine) : tenant.sandbox ? receive : send;
  const result = await carryOut(delivery, db, timing, dependencies);
  if (result === 'outdated') return deliver(job, dependencies);
  if (typeof result === 'string') return result;
  const { id, automation_id, event_type, attempt } = delivery;
  const { error, responseStatus, next, host } = result;
  log[error === null ? 'info' : 'warn'](
    {
      tenant: tenant.slug,
      automation: automation_id,
      delivery: id,
      event: event_type,
      attempt: attempt + 1,
      ms: elapsed(),
      ...(host && { host }),
      ...(error !== null && { error }),
      ...(responseStatus && { response_status: responseStatus }),
      ...(next && { next_attempt_at: next.toISOString() }),
    },
    error === null ? 'automation done' : 'automation failed',
  );
  return routine ? 'changed' : 'done';
};

const readAlone = (id: number, db: TenantDb) => db.snapshot(transaction => readPending(id, transaction));

/**
 * Sends a webhook. What it is made of, and may be, is read before.
 * Right before it is sent, the tenant, the API user and the automation must still be the same.
 */
const send: CarryOut = async (delivery, db, timing, dependencies) => {
  const { database, fields } = dependencies;
  const attempt = async (): Promise<DeliveryOutcome | null> => {
    const obstacle = obstacleTo(delivery);
    if (obstacle) return { error: obstacle };
    const secrets = await readSecrets(database, db.tenant.id);
    const message = await fields.run(db, (own, proving) => messageOf(delivery, secrets, own, proving, dependencies));
    if (!isDeepStrictEqual(await readAlone(delivery.id, db), delivery)) return null;
    return message
      ? outcomeOf(await dependencies.send(message), message, delivery, timing, dependencies)
      : { error: 'scope_missing' };
  };
  const outcome = await attempt();
  if (!outcome) return 'outdated';
  await db.transaction(transaction => settle(delivery, outcome, timing, transaction));
  return outcome;
};

/** Puts a webhook of a sandbox into its inbox, instead of sending it. */
const receive: CarryOut = async ({ id }, db, timing, dependencies) => {
  const { database, fields } = dependencies;
  const secrets = await readSecrets(database, db.tenant.id);
  return fields.run(db, (own, proving) =>
    proving.joined(async (parts, transaction) => {
      keepCopies(transaction);
      const attempt = async (delivery: Delivery): Promise<DeliveryOutcome> => {
        const message = await messageOf(delivery, secrets, own, parts, dependencies);
        if (!message) return { error: 'scope_missing' };
        const response = respond(message);
        await putIntoInbox(message, response, delivery, transaction);
        return outcomeOf(response, message, delivery, timing, dependencies);
      };
      return inOne(id, attempt, timing, transaction);
    }),
  );
};

/** Runs a routine that changes records. */
const change =
  (routine: Routine): CarryOut =>
  ({ id, automation_id }, { tenant }, timing, { database, fields }) => {
    const by = { type: 'automation', id: automation_id } as const;
    const change = (own: Fields, transaction: Transaction) => {
      const attempt = async (delivery: Delivery): Promise<DeliveryOutcome> => {
        actAs({ automationId: delivery.automation_id, depth: delivery.depth }, transaction);
        return { error: await routine(JSON.parse(delivery.routine_configuration), delivery.data, transaction, own) };
      };
      return inOne(id, attempt, timing, transaction);
    };
    const db = database.forTenant(tenant, undefined, { by, requestId: null });
    return fields.run(db, (own, proving) => proving.transaction(transaction => change(own, transaction)));
  };

/**
 * Makes an attempt, if nothing prevents it, in the transaction that stores its outcome.
 * What it changes is changed exactly once.
 */
const inOne = async (
  id: number,
  attempt: (delivery: Delivery) => Promise<DeliveryOutcome>,
  timing: Timing,
  transaction: Transaction,
): Promise<DeliveryOutcome | NotNow> => {
  const { kysely } = transaction;
  await kysely.selectFrom('automation_deliveries').select('id').where('id', '=', id).forUpdate().execute();
  const delivery = await readPending(id, transaction);
  if (typeof delivery === 'string') return delivery;
  const obstacle = obstacleTo(delivery);
  const outcome = obstacle ? { error: obstacle } : await attempt(delivery);
  await settle(delivery, outcome, timing, transaction);
  return outcome;
};

/** Returns the message of a delivery; null: its API user may not see what it would say. */
const messageOf = async (
  delivery: Delivery,
  secrets: readonly string[],
  fields: Fields,
  db: TenantDb,
  { now }: Pick<DeliveryDependencies, 'now'>,
): Promise<WebhookMessage | null> => {
  const { url, headers = {} } = JSON.parse(delivery.routine_configuration);
  const payload = await payloadOf(delivery, fields, db);
  return payload === null ? null : { url, headers, id: delivery.event_id, timestamp: now(), payload, secrets };
};

const outcomeOf = (
  { status, error }: WebhookResponse,
  { url }: WebhookMessage,
  { attempt }: Delivery,
  { present }: Timing,
  { attempts }: Pick<DeliveryDependencies, 'attempts'>,
): DeliveryOutcome => {
  const final = error === null || error === 'target_refused' || error === 'https_required' || status === GONE;
  const next = final ? null : nextAttempt(attempt + 1, attempts, present());
  return { error, responseStatus: status, next, host: URL.parse(url)?.host };
};

/** The status with which a receiver unsubscribes (Standard Webhooks). */
const GONE = 410;
