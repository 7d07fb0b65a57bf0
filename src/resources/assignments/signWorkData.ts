import { resources } from '../../../generated/resources.ts';
import { validationFailed } from '../../core/errors.ts';
import { recordActivity } from '../../domain/staffing/active.ts';
import { entryOf, recordHistory } from '../../domain/staffing/history.ts';
import { proposalsOf } from '../../domain/work/signed-work.ts';
import type { Action } from '../../engine/action.ts';
import { showRecords } from '../../engine/verb.ts';
import { insertAll } from '../../engine/write.ts';

/** POST /assignments/signed-work-data: creates proposals from signed work that is new, all or none. */
export const signWorkData: Action<'assignments_signWorkData'> = (call, db) =>
  db.transaction(async transaction => {
    const { workTimes, wages, errors, statuses, overridden } = await proposalsOf(call, transaction);
    if (errors.length > 0) throw validationFailed(errors);
    await insertAll(call.fields.get(resources['work-time-proposals']), workTimes, transaction);
    await insertAll(call.fields.get(resources['wage-proposals']), wages, transaction);
    const { approver, method, signed_at, items } = call.body;
    const ids = items.map(({ assignment_id }) => assignment_id);
    const added = ids.filter(id => [...workTimes, ...wages].some(({ assignment_id }) => assignment_id === id));
    const data = { approver: { ...approver }, method, signed_at: workTimes[0]?.signed_at ?? signed_at };
    const entries = added.map(id => {
      const assignment = { id, status: statuses.get(id) ?? 0 };
      return entryOf(assignment, 'signature', data, { overridden: overridden.get(id) ?? [] });
    });
    await recordHistory(entries, call.principal.apiUser.id, transaction);
    if (added.length > 0) recordActivity(added, transaction);
    return showRecords(resources.assignments, ids, call, transaction);
  });
