import type { components } from '../../../generated/api.ts';
import { resources } from '../../../generated/resources.ts';
import type { Call } from '../../core/call/call.ts';
import { ApiError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { judgedAs } from '../../domain/rules/rulebook.ts';
import { warnOfBreaches } from '../../domain/rules/warn.ts';
import { changeStatus } from '../../domain/staffing/change-status.ts';
import { rejection } from '../../domain/staffing/transition.ts';
import type { Action } from '../../engine/action.ts';
import { endWithRecord } from '../../engine/verb.ts';

/** PUT /assignments/{id}/status: changes the assignment's status and returns the assignment. */
export const setStatus: Action<'assignments_setStatus'> = async (call, db) =>
  db.transaction(async transaction => {
    await moveTo(call.body.status, call.body.remarks, call, transaction);
    return endWithRecord(resources.assignments, call.id, call, transaction);
  });

/**
 * Changes the status of the assignment that a call addresses.
 * @throws ApiError not_found (404), and the errors of the change (422)
 */
export const moveTo = async (
  to: components['schemas']['AssignmentStatus'],
  remarks: string | null | undefined,
  call: Pick<Call, 'id' | 'principal' | 'fields' | 'parameters'>,
  transaction: Transaction,
): Promise<void> => {
  const { id, principal } = call;
  const request = { ids: [id], to, remarks, atomic: true, ...judgedAs(call) };
  const [outcome] = await changeStatus(request, transaction);
  if (!outcome || outcome.from === null) throw new ApiError('not_found');
  if (outcome.errors.length > 0) throw rejection(outcome.errors);
  warnOfBreaches(outcome.warned, principal.apiUser, transaction);
};
