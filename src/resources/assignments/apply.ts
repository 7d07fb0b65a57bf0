import { resources } from '../../../generated/resources.ts';
import { isOn } from '../../core/call/switch.ts';
import { ApiError } from '../../core/errors.ts';
import { rulebookOf } from '../../domain/rules/rulebook.ts';
import { warnOfBreaches } from '../../domain/rules/warn.ts';
import { recordActivity } from '../../domain/staffing/active.ts';
import { changeStatus } from '../../domain/staffing/change-status.ts';
import { rejection } from '../../domain/staffing/transition.ts';
import type { Action } from '../../engine/action.ts';
import { endWithRecord } from '../../engine/verb.ts';

/** POST /assignments/{id}/apply: sets the status to 3 or, with `maybe`, to 4. */
export const apply: Action<'assignments_apply'> = async (call, db) =>
  db.transaction(async transaction => {
    const { id, body, principal } = call;
    const [outcome] = await changeStatus(
      {
        ids: [id],
        to: body.maybe ? 4 : 3,
        remarks: body.remarks,
        force: isOn(call.parameters, 'force'),
        atomic: true,
        rulebook: rulebookOf(call.fields, principal.tenant, principal.apiUser),
        apiUserId: principal.apiUser.id,
      },
      transaction,
    );
    if (!outcome || outcome.from === null) throw new ApiError('not_found');
    if (outcome.errors.length > 0) throw rejection(outcome.errors);
    warnOfBreaches(outcome.warned, principal.apiUser, transaction);
    recordActivity([id], transaction);
    return endWithRecord(resources.assignments, id, call, transaction);
  });
