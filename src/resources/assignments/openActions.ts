import { resources } from '../../../generated/resources.ts';
import { ApiError } from '../../core/errors.ts';
import { type Action, ok } from '../../engine/action.ts';
import { readPage } from '../../engine/records.ts';
import { planRecord, schemaOf } from '../../engine/verb.ts';
import { parseQuery } from '../../query/query.ts';

/** GET /assignments/{id}/open-actions: lists the pending actions of the assignment. */
export const openActions: Action<'assignments_openActions'> = async (call, db) => {
  const query = parseQuery([['fields', 'open_actions']]);
  const record = planRecord(query, call.fields.of(resources.assignments), schemaOf(call), call.id);
  const [cells] = (await readPage(record, db)).records;
  if (!cells) throw new ApiError('not_found');
  return ok(JSON.parse(cells[0] as string));
};
