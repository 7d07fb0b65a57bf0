import { resources } from '../../../generated/resources.ts';
import type { Action } from '../../engine/action.ts';
import { read as readRecord } from '../../engine/read.ts';
import { showValues, takeSwitch } from './values.ts';

/** GET /change-requests/{id}: returns one record, with readable values unless `return_values` is false. */
export const read: Action<'changeRequests_read'> = async (call, db) => {
  const { readable, parameters } = takeSwitch(call.parameters);
  const asked = { ...call, params: { ...call.params }, parameters, body: {} };
  const reply = await readRecord(asked, resources['change-requests'], db);
  return readable ? { ...reply, body: await showValues(reply.body, db) } : reply;
};
