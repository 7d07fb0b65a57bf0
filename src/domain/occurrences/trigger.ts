import type { Json } from '../../core/call/reply.ts';
import { chunksOf } from '../../core/chunks.ts';
import type { Access } from '../../core/resource/access.ts';
import type { RowsOf, TenantQuery, Transaction } from '../../db/database.ts';
import { oneOf, unique, withIds } from '../../db/ids.ts';
import { isWithheld } from './access.ts';
import { causeOf } from './cause.ts';
import { type TriggerConfiguration, type TriggerType, wants } from './configuration.ts';
import { enqueue } from './enqueue.ts';

/** The data of an occurrence, as deliveries contain it. */
export type Occurrence = Readonly<Record<string, Json>>;

/** Maximum length of a chain of automations that trigger each other. */
export const maxDepth = 5;

/** Maximum rows of one insert: the number of a statement's parameters is limited. */
const chunkSize = 2000;

/** Returns the query of the automations of a trigger, without those whose API user is disabled. */
const automationsOf = (
  type: TriggerType,
): TenantQuery<{
  readonly id: number;
  readonly trigger_configuration: string;
  readonly hidden: Access['hidden'] | null;
}> => ({
  for: tenantId => ({
    name: 'automations_of_trigger',
    text: `
      select a.id, a.trigger_configuration, u.hidden from automations a
      left join api_users u on u.tenant_id = $1 and u.id = a.api_user_id
      where a.tenant_id = $1 and a.trigger_type = $2 and (a.api_user_id is null or u.active)
      order by a.id`,
    values: [String(tenantId), type],
  }),
});

type FoundAutomations = Promise<RowsOf<[ReturnType<typeof automationsOf>]>>;

const foreseen = new WeakMap<Transaction, Map<TriggerType, FoundAutomations>>();

/** Reads the automations of a trigger with the next trip: for work that probably triggers them. */
export const foreseeTrigger = (type: TriggerType, transaction: Transaction): void => {
  const own = foreseen.get(transaction) ?? new Map<TriggerType, FoundAutomations>();
  if (own.has(type) || !transaction.tenant.modules.has('automations')) return;
  const found = transaction.defer(automationsOf(type));
  foreseen.set(transaction, own.set(type, found));
  // A part of the transaction that failed: the next one reads them again.
  found.catch(() => own.delete(type));
};

/**
 * Stores a delivery for each automation that occurrences trigger, in the change's transaction.
 * `load` returns the occurrences; it is called only if there are automations with that trigger.
 */
export const triggerAutomations = async (
  type: TriggerType,
  load: () => Promise<readonly Occurrence[]>,
  transaction: Transaction,
): Promise<void> => {
  if (!transaction.tenant.modules.has('automations')) return;
  const automations = await (foreseen.get(transaction)?.get(type) ?? transaction.run(automationsOf(type))).then(
    ([rows]) => rows,
  );
  if (automations.length === 0) return;
  const occurrences = await load();
  const deliveries = automations.flatMap(({ id, trigger_configuration, hidden }) => {
    const configuration: TriggerConfiguration = JSON.parse(trigger_configuration);
    return occurrences
      .filter(data => wants(type, configuration, data) && !isWithheld(type, data, { hidden: hidden ?? [] }))
      .map(data => ({ automationId: id, data }));
  });
  if (deliveries.length === 0) return;
  const present = await holdAutomations(unique(deliveries.map(({ automationId }) => automationId)), transaction);
  const left = deliveries.filter(({ automationId }) => present.has(automationId));
  await addDeliveries(type, left, transaction);
};

/** Locks automations against removal and returns those left: no change fails because one is deleted. */
const holdAutomations = async (ids: readonly number[], { kysely }: Transaction): Promise<ReadonlySet<number>> => {
  const query = kysely.selectFrom('automations').select('id').where('id', '=', oneOf(ids)).orderBy('id').forKeyShare();
  return new Set((await query.execute()).map(({ id }) => id));
};

/** A delivery to add. */
export interface NewDelivery {
  readonly automationId: number;
  readonly data: Occurrence;
  /** When it happened (RFC 3339); now if omitted. */
  readonly at?: string;
  /** Its place among deliveries in an order; without one it is attempted at once. */
  readonly place?: LanePosition;
  /** Whether it is a sample. */
  readonly isTest?: boolean;
}

/** A place in the order of an automation's deliveries of one lane. */
export interface LanePosition {
  readonly lane: string;
  readonly position: number;
  /** Whether an earlier one has not been attempted yet: that one's attempt is followed by this one's. */
  readonly waits: boolean;
}

/**
 * Adds deliveries for immediate execution, unless they wait for others.
 * Those that exceed `maxDepth` are stored as failed.
 * @returns their ids
 */
export const addDeliveries = async (
  type: TriggerType,
  deliveries: readonly NewDelivery[],
  transaction: Transaction,
): Promise<readonly number[]> => {
  const depth = (causeOf(transaction)?.depth ?? 0) + 1;
  const rejected = depth > maxDepth ? { status: 3, error: 'loop_limit', next_attempt_at: null } : {};
  const ids: number[] = [];
  for (const chunk of chunksOf(deliveries, chunkSize)) {
    const rows = chunk.map(({ automationId, data, at, place, isTest = false }) => ({
      automation_id: automationId,
      event_type: type,
      data: JSON.stringify(data),
      depth,
      ...(at !== undefined && { created_at: at }),
      is_test: isTest,
      lane: place?.lane ?? null,
      position: place?.position ?? null,
      ...rejected,
    }));
    const withOwnIds = await withIds(transaction, 'automation_deliveries', rows);
    const waiting = new Set(withOwnIds.flatMap(({ id }, index) => (chunk[index]?.place?.waits ? [id] : [])));
    const added = await transaction.kysely
      .insertInto('automation_deliveries')
      .values(withOwnIds)
      .returning(['id', 'next_attempt_at'])
      .execute();
    const due = added.filter(({ id }) => !waiting.has(id));
    enqueue(due, transaction);
    ids.push(...withOwnIds.map(({ id }) => id));
  }
  return ids;
};
