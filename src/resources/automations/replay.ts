import { ApiError } from '../../core/errors.ts';
import { newId } from '../../db/ids.ts';
import { enqueue } from '../../domain/occurrences/enqueue.ts';
import type { Action } from '../../engine/action.ts';
import { requireWebhook, showNew } from './webhook.ts';

/** POST /automations/{id}/deliveries/{delivery_id}/replay: sends a delivery's event in a new one. */
export const replay: Action<'automations_replay'> = (call, db) =>
  db.transaction(async transaction => {
    const { id: automationId, params } = call;
    const { kysely } = transaction;
    await requireWebhook(automationId, transaction);
    const delivery = await kysely
      .selectFrom('automation_deliveries')
      .select(['id', 'event_id', 'event_type', 'data', 'is_test', 'depth', 'created_at'])
      .where('id', '=', params.delivery_id)
      .where('automation_id', '=', automationId)
      .executeTakeFirst();
    if (!delivery) throw new ApiError('not_found');
    const { id: replayOf, data, ...same } = delivery;
    const id = await newId(transaction, 'automation_deliveries');
    const added = await kysely
      .insertInto('automation_deliveries')
      .values({ id, automation_id: automationId, replay_of: replayOf, data: JSON.stringify(data), ...same })
      .returning(['id', 'next_attempt_at'])
      .execute();
    enqueue(added, transaction);
    return showNew(automationId, id, call, transaction);
  });
