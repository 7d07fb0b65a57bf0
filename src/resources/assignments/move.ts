import { resources } from '../../../generated/resources.ts';
import { ApiError } from '../../core/errors.ts';
import { judgedAs } from '../../domain/rules/rulebook.ts';
import { moveAssignment } from '../../domain/staffing/move-assignment.ts';
import { rejection } from '../../domain/staffing/transition.ts';
import type { Action } from '../../engine/action.ts';
import { identifyBody } from '../../engine/references/external-id.ts';
import { endWithRecord } from '../../engine/verb.ts';

/** PUT /assignments/{id}/move: moves the assignment to another event function and returns it. */
export const move: Action<'assignments_move'> = (call, db) =>
  db.transaction(async transaction => {
    const { id, principal } = call;
    const { event_function_id } = await identifyBody(call, resources.assignments, 'event_function_id', transaction);
    const request = { id, event_function_id, access: principal.apiUser, ...judgedAs(call) };
    const errors = await moveAssignment(request, transaction);
    if (!errors) throw new ApiError('not_found');
    if (errors.length > 0) throw rejection(errors);
    return endWithRecord(resources.assignments, id, call, transaction);
  });
