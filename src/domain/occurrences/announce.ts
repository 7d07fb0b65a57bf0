import type { Json } from '../../core/call/reply.ts';
import type { Transaction } from '../../db/database.ts';
import { withIds } from '../../db/ids.ts';
import { causeOf } from './cause.ts';
import { type TriggerConfiguration, type TriggerType, wants } from './configuration.ts';
import { enqueue } from './enqueue.ts';

/** What has happened, as deliveries tell of it. */
export type Occurrence = Readonly<Record<string, Json>>;

/** How many automations in a row may set one another off. */
export const maxDepth = 5;

/** Rows of one insert: the number of a statement's values is limited. */
const chunkSize = 2000;

/**
 * Keeps, in the transaction of what has happened, a delivery for each automation that it sets off: with the change, or not at all.
 * `tell` is asked only if there are automations that wait for such things.
 */
export const announce = async (
  type: TriggerType,
  tell: () => Promise<readonly Occurrence[]>,
  transaction: Transaction,
): Promise<void> => {
  if (!transaction.tenant.modules.has('automations')) return;
  const automations = await transaction.kysely
    .selectFrom('automations')
    .select(['id', 'trigger_configuration'])
    .where('trigger_type', '=', type)
    .orderBy('id')
    .execute();
  if (automations.length === 0) return;
  const occurrences = await tell();
  const deliveries = automations.flatMap(({ id, trigger_configuration }) => {
    const configuration: TriggerConfiguration = JSON.parse(trigger_configuration);
    return occurrences.filter(data => wants(type, configuration, data)).map(data => ({ automationId: id, data }));
  });
  await addDeliveries(type, deliveries, transaction);
};

/** Adds deliveries that are to be tried at once; one too many in a row is only noted. */
export const addDeliveries = async (
  type: TriggerType,
  deliveries: readonly { readonly automationId: number; readonly data: Occurrence }[],
  transaction: Transaction,
): Promise<void> => {
  const depth = (causeOf(transaction)?.depth ?? 0) + 1;
  const refused = depth > maxDepth ? { status: 3, error: 'loop_limit', next_attempt_at: null } : {};
  for (let start = 0; start < deliveries.length; start += chunkSize) {
    const rows = deliveries.slice(start, start + chunkSize).map(({ automationId, data }) => ({
      automation_id: automationId,
      event_type: type,
      data: JSON.stringify(data),
      depth,
      ...refused,
    }));
    const added = await transaction.kysely
      .insertInto('automation_deliveries')
      .values(await withIds(transaction, 'automation_deliveries', rows))
      .returning(['id', 'next_attempt_at'])
      .execute();
    await enqueue(added, transaction);
  }
};
