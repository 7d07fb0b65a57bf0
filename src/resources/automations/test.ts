import { samples } from '../../../generated/automations.ts';
import { addDeliveries } from '../../domain/occurrences/trigger.ts';
import type { Action } from '../../engine/action.ts';
import { requireWebhook, showNew } from './webhook.ts';

/** POST /automations/{id}/test: sends the document's example of the trigger's webhook. */
export const test: Action<'automations_test'> = (call, db) =>
  db.transaction(async transaction => {
    const { id } = call;
    const trigger = await requireWebhook(id, transaction);
    const sample = { automationId: id, data: samples[trigger], isTest: true };
    const [added] = await addDeliveries(trigger, [sample], transaction);
    return showNew(id, Number(added), call, transaction);
  });
