import { resources } from '../../../generated/resources.ts';
import { ApiError, invalidField } from '../../core/errors.ts';
import { root } from '../../core/root.ts';
import type { Transaction } from '../../db/database.ts';
import type { TriggerType } from '../../domain/occurrences/configuration.ts';
import { showRecord } from '../../engine/verb.ts';

/**
 * Returns the trigger of an automation that sends webhooks, locked against removal.
 * @throws ApiError not_found (404), validation_failed (422) for another routine: it would change records
 */
export const requireWebhook = async (id: number, { kysely }: Transaction): Promise<TriggerType> => {
  const automation = await kysely
    .selectFrom('automations')
    .select(['trigger_type', 'routine_type'])
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  if (!automation) throw new ApiError('not_found');
  const { trigger_type, routine_type } = automation;
  if (routine_type === 'webhook.post') return trigger_type;
  const message = `routine_type: webhook.post is expected; ${routine_type} sends nothing.`;
  throw invalidField('not_in_enumeration', 'routine_type', message);
};

/** The response that shows a new delivery. */
export const showNew = async (
  automationId: number,
  id: number,
  call: Parameters<typeof showRecord>[2],
  transaction: Transaction,
) => {
  const { body } = await showRecord(resources['automation-deliveries'], id, call, transaction);
  const location = `${root}/automations/${automationId}/deliveries/${id}`;
  return { status: 201, headers: { location }, body } as const;
};
