import { resources } from '../../../generated/resources.ts';
import { isOn } from '../../core/call/switch.ts';
import { ApiError } from '../../core/errors.ts';
import { rulebookOf } from '../../domain/rules/rulebook.ts';
import { warnOfBreaches } from '../../domain/rules/warn.ts';
import { changeStatus } from '../../domain/staffing/change-status.ts';
import { rejection } from '../../domain/staffing/transition.ts';
import type { Action } from '../../engine/action.ts';
import { endWithRecord } from '../../engine/verb.ts';

/** PUT /assignments/{id}/status: changes the assignment's status and returns the assignment. */
export const setStatus: Action<'assignments_setStatus'> = async (call, db) =>
  db.transaction(async transaction => {
    const { id, body, principal } = call;
    const [outcome] = await changeStatus(
      {
        ids: [id],
        to: body.status,
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
    return endWithRecord(resources.assignments, id, call, transaction);
  });
