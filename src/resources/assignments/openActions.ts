import { resources } from '../../../generated/resources.ts';
import { ApiError } from '../../core/errors.ts';
import { type Action, ok } from '../../engine/action.ts';
import { planRecord } from '../../query/listing.ts';
import { readPage } from '../../query/read.ts';

/** GET /assignments/{id}/open-actions: lists the pending actions of the assignment. */
export const openActions: Action<'assignments_openActions'> = async (call, db) => {
  const record = planRecord([['fields', 'open_actions']], resources.assignments, call.id, call);
  const { representation } = await readPage(record, db);
  const [cells] = representation.records;
  if (!cells) throw new ApiError('not_found');
  return ok(JSON.parse(cells.text(0) as string));
};
