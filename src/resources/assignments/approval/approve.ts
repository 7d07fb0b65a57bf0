import { resources } from '../../../../generated/resources.ts';
import { dryRun, isOn } from '../../../core/call/switch.ts';
import { ApiError, type FieldError, fieldError, validationFailed } from '../../../core/errors.ts';
import type { Transaction } from '../../../db/database.ts';
import { now } from '../../../db/now.ts';
import { billWork, withdrawBillings } from '../../../domain/billing/bill.ts';
import { type Approval, approveWork, withdrawWork } from '../../../domain/pay/approve.ts';
import { writeDifference } from '../../../domain/pay/correction.ts';
import { onPayRun, paysheetOf } from '../../../domain/pay/payment.ts';
import { rulebookOf } from '../../../domain/rules/rulebook.ts';
import { judgeTimes, selectTimed } from '../../../domain/staffing/changed-times.ts';
import { refusal, type Verdict, verdictOn, withBreaches } from '../../../domain/staffing/checks.ts';
import { storeEffectiveTimes } from '../../../domain/staffing/effective-times.ts';
import { recordHistory } from '../../../domain/staffing/history.ts';
import { followInherited } from '../../../domain/staffing/inherited.ts';
import { lockSeats } from '../../../domain/staffing/locked-staffing.ts';
import { frozen, isBooked, isHolding, type Seat } from '../../../domain/staffing/transition.ts';
import type { Action, ActionCall } from '../../../engine/action.ts';
import { checkReferences } from '../../../engine/references/check.ts';
import { identifyBody } from '../../../engine/references/external-id.ts';
import { endWithRecord } from '../../../engine/verb.ts';
import { warn } from '../../../engine/writing/warnings.ts';

const FIELD = 'approved_by_planner_id';

/** A call with the id of the planner. */
type ApprovalCall = ActionCall<'assignments_approve'> & { readonly body: { readonly [FIELD]: number | null } };

/** PUT /assignments/{id}/approve: approves work and pay, or withdraws the approval. */
export const approve: Action<'assignments_approve'> = (asked, db) =>
  db.transaction(async transaction => {
    const body = await identifyBody(asked, resources.assignments, FIELD, transaction);
    const call: ApprovalCall = { ...asked, body };
    const { id } = call;
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    await requireApprovable(seat, call, transaction);
    const planner = body.approved_by_planner_id;
    const { overridden = [], ...pay } = await payOf(seat, call, transaction);
    const correction = await finishCorrection(seat, call, transaction);
    const told = planner === null ? followInherited(id, transaction) : null;
    const changed = await transaction.kysely
      .updateTable('assignments')
      .set({
        ...pay,
        is_approved: planner !== null,
        approved_by_planner_id: planner,
        approved_on: planner === null ? null : now,
        correction,
        updated_at: now,
      })
      .where('id', '=', id)
      .where(({ eb, or }) =>
        or([eb('is_approved', '<>', planner !== null), eb('approved_by_planner_id', 'is distinct from', planner)]),
      )
      .returning('id')
      .execute();
    const freed = told ? await freeTimes(seat, told, call, transaction) : refusal([]);
    const { status } = seat;
    const entry = { assignment_id: id, action: 'approval' as const, from_status: status, to_status: status };
    const amount = (pay.pay_amount ?? null) !== null ? { pay_amount: Number(pay.pay_amount) } : {};
    const data = { [FIELD]: planner, ...amount };
    const entries = changed.map(() => ({
      ...entry,
      data: withBreaches(data, freed),
      overridden: [...overridden, ...freed.overridden],
    }));
    await recordHistory(entries, call.principal.apiUser.id, transaction);
    return endWithRecord(resources.assignments, id, call, transaction);
  });

const requireApprovable = async (seat: Seat, call: ApprovalCall, transaction: Transaction): Promise<void> => {
  const planner = call.body.approved_by_planner_id;
  if (seat.correction !== null) {
    if (planner === null) throw validationFailed(frozen(seat, FIELD));
  } else if (planner === null) await requireNoPaysheet(seat, transaction);
  if (seat.is_paid && seat.correction === null) throw validationFailed([fieldError('assignment_paid', FIELD)]);
  const set = call.fields.get(resources.assignments);
  const errors = [...(await checkReferences(set, { [FIELD]: planner }, resources, transaction)).errors];
  if (planner !== null && !isHolding(seat.status))
    errors.push(
      fieldError('invalid_transition', 'status', `An assignment in status ${seat.status} can't be approved.`),
    );
  if (errors.length > 0) throw validationFailed(errors);
};

/**
 * Writes the difference that a correction yields, which this ends.
 * @returns what the assignment then has of a correction, as JSON: that of a dry run shows the difference
 */
const finishCorrection = async (
  { id, correction }: Seat,
  { parameters }: ApprovalCall,
  transaction: Transaction,
): Promise<string | null> => {
  if (correction === null) return null;
  const difference = await writeDifference(Number(id), correction, transaction);
  return isOn(parameters, dryRun) ? JSON.stringify({ ...correction, ...difference }) : null;
};

/** @throws ApiError validation_failed (422) on a pay run, still_referenced (409) with a manual paysheet */
const requireNoPaysheet = async ({ id, is_paid }: Seat, transaction: Transaction): Promise<void> => {
  const paysheet = await paysheetOf(Number(id), transaction);
  if (!paysheet) return;
  if (paysheet.pay_run_id !== null) throw validationFailed([onPayRun(paysheet.pay_run_id, FIELD)]);
  if (is_paid) return;
  const message = `The approved pay is on the paysheet ${paysheet.id}, which must be deleted first.`;
  throw new ApiError('still_referenced', { message });
};

/**
 * Approves or withdraws the work if that changes its state, and returns the new pay.
 * @throws ApiError validation_failed (422)
 */
const payOf = async (
  seat: Seat,
  { body, parameters }: ApprovalCall,
  transaction: Transaction,
): Promise<Partial<Omit<Approval, 'errors'>>> => {
  const isApproved = body[FIELD] !== null;
  const assignmentId = Number(seat.id);
  if (seat.is_approved === isApproved) return {};
  if (!isApproved) {
    reject(await withdrawBillings(assignmentId, FIELD, transaction));
    return withdrawWork(assignmentId, transaction);
  }
  const { errors, ...pay } = await approveWork(
    { assignmentId, employeeId: seat.worker.id, field: FIELD, force: isOn(parameters, 'force') },
    transaction,
  );
  reject(errors);
  reject(await billWork(assignmentId, FIELD, transaction));
  return pay;
};

/**
 * Stores the effective times of an assignment that is no longer approved.
 * Its event may have moved meanwhile.
 * @param told called after the write
 * @returns what `force` has overridden
 * @throws ApiError validation_failed (422) as a change of its times
 */
const freeTimes = async (
  seat: Seat,
  told: () => void,
  call: ApprovalCall,
  transaction: Transaction,
): Promise<Verdict> => {
  const scope = { field: 'id', id: call.id } as const;
  storeEffectiveTimes(scope, transaction);
  told();
  if (!isBooked(seat.status)) return refusal([]);
  const [[timed]] = await transaction.run(selectTimed(scope, transaction));
  const rulebook = rulebookOf(call.fields, call.principal.tenant, call.principal.apiUser);
  const found = await judgeTimes(seat, timed, rulebook, transaction, FIELD);
  const verdict = verdictOn(found, isOn(call.parameters, 'force'));
  reject(verdict.errors);
  warn(verdict.warned, transaction);
  return verdict;
};

const reject = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw validationFailed(errors);
};
