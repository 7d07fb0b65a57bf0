import { resources } from '../../../generated/resources.ts';
import { recordActivity } from '../../domain/staffing/active.ts';
import type { Action } from '../../engine/action.ts';
import { endWithRecord } from '../../engine/verb.ts';
import { moveTo } from './setStatus.ts';

/** POST /assignments/{id}/apply: sets the status to 3 or, with `maybe`, to 4. */
export const apply: Action<'assignments_apply'> = async (call, db) =>
  db.transaction(async transaction => {
    await moveTo(call.body.maybe ? 4 : 3, call.body.remarks, call, transaction);
    recordActivity([call.id], transaction);
    return endWithRecord(resources.assignments, call.id, call, transaction);
  });
