import { fieldError, validationFailed } from '../../../core/errors.ts';
import { type ApprovalOutcome, changeApproval } from '../../../domain/pay/approvals.ts';
import { presentedWarnings } from '../../../domain/rules/shown.ts';
import { lockSeats } from '../../../domain/staffing/locked-staffing.ts';
import { type Action, ok } from '../../../engine/action.ts';
import { bulkIds, bulkReport, changeEach } from '../../../engine/writing/bulk.ts';
import { askedApproval, plannerErrorsOf } from './approve.ts';

const IDS = 'assignment_ids';

/**
 * PUT /assignments/approve: approves many assignments, or withdraws it; returns a result for each.
 * See docs/decisions.md, "Bulk operations".
 */
export const approveMany: Action<'assignments_approveMany'> = (call, db) =>
  db.joined(async (parts, transaction) => {
    const ids = bulkIds(call.body[IDS], IDS);
    const atomic = Boolean(call.body.atomic);
    const asked = await askedApproval(call, transaction);
    // Before any part of the transaction: locks of a part that is undone are released.
    const seats = await lockSeats(ids, transaction);
    const plannerErrors = await plannerErrorsOf(asked, call, transaction);
    if (plannerErrors.length > 0) throw validationFailed(plannerErrors);
    const outcomes = await changeEach(
      ids,
      atomic,
      async (left, part): Promise<readonly ApprovalOutcome[]> => {
        const present = left.flatMap(id => seats.get(id) ?? []);
        if (present.length < left.length) return left.filter(id => !seats.has(id)).map(notFound);
        return changeApproval({ ...asked, plannerErrors, seats: present }, part);
      },
      parts,
    );
    const { apiUser } = call.principal;
    const more = ({ warned }: ApprovalOutcome) => presentedWarnings(warned, apiUser);
    return ok(bulkReport('assignment_id', outcomes, atomic, apiUser, more));
  });

const notFound = (id: number): ApprovalOutcome => ({
  id,
  result: 'failed',
  errors: [fieldError('reference_not_found', IDS, `There is no assignment ${id}.`)],
  warned: [],
});
