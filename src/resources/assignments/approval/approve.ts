import { resources } from '../../../../generated/resources.ts';
import { dryRun, isOn } from '../../../core/call/switch.ts';
import { ApiError, type FieldError, validationFailed } from '../../../core/errors.ts';
import type { Transaction } from '../../../db/database.ts';
import { type ApprovalChange, approvedBy, changeApproval } from '../../../domain/pay/approvals.ts';
import { judgedAs } from '../../../domain/rules/rulebook.ts';
import { warnOfBreaches } from '../../../domain/rules/warn.ts';
import { lockSeats } from '../../../domain/staffing/locked-staffing.ts';
import type { Action, ActionCall } from '../../../engine/action.ts';
import { checkReferences } from '../../../engine/references/check.ts';
import { identifyBody } from '../../../engine/references/external-id.ts';
import { endWithRecord } from '../../../engine/verb.ts';

/** PUT /assignments/{id}/approve: approves work and pay, or withdraws the approval. */
export const approve: Action<'assignments_approve'> = (call, db) =>
  db.transaction(async transaction => {
    const { id } = call;
    const asked = await askedApproval(call, transaction);
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    const plannerErrors = await plannerErrorsOf(asked, call, transaction);
    const [outcome] = await changeApproval({ ...asked, plannerErrors, seats: [seat] }, transaction);
    if (outcome && outcome.errors.length > 0) throw approvalRejection(outcome.errors);
    warnOfBreaches(outcome?.warned ?? [], call.principal.apiUser, transaction);
    return endWithRecord(resources.assignments, id, call, transaction);
  });

type ApprovalCall = ActionCall<'assignments_approve'> | ActionCall<'assignments_approveMany'>;

/** Returns the approval that a call asks for, without its assignments. */
export const askedApproval = async (
  call: ApprovalCall,
  transaction: Transaction,
): Promise<Omit<ApprovalChange, 'seats' | 'plannerErrors'>> => {
  const { [approvedBy]: planner } = await identifyBody(call, resources.assignments, approvedBy, transaction);
  return { planner, rehearsed: isOn(call.parameters, dryRun), ...judgedAs(call) };
};

/** Returns what stands against the planner of an approval. */
export const plannerErrorsOf = async (
  { planner }: Pick<ApprovalChange, 'planner'>,
  { fields }: ApprovalCall,
  transaction: Transaction,
): Promise<readonly FieldError[]> => {
  const set = fields.get(resources.assignments);
  return (await checkReferences(set, { [approvedBy]: planner }, resources, transaction)).errors;
};

/** Returns the error of a rejected approval: 409 with a paysheet made by hand, else 422. */
const approvalRejection = (errors: readonly FieldError[]): ApiError => {
  const bound = errors.find(({ code }) => code === 'still_referenced');
  return bound ? new ApiError('still_referenced', { message: bound.message }) : validationFailed(errors);
};
