import { resources } from '../../../generated/resources.ts';
import type { Action } from '../../engine/action.ts';
import { list as listOf } from '../../engine/list.ts';
import { showBatches, showValues, takeSwitch, withReader } from './values.ts';

const listRecords = listOf(resources['change-requests']);

/** GET /change-requests: lists records, with readable values unless `return_values` is false. */
export const list: Action<'changeRequests_list'> = async (call, db) => {
  const { readable, parameters } = takeSwitch(call.parameters);
  const reading = withReader(db);
  const reply = await listRecords({ ...call, parameters, body: {} }, reading.db);
  if (!readable) return reply;
  const { body } = reply;
  return {
    ...reply,
    body: body.kind === 'rows' ? await showValues(body, db) : showBatches(body, reading.reader),
  };
};
