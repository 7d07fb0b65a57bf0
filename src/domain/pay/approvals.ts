import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import type { BulkOutcome } from '../../engine/writing/bulk.ts';
import { fromRecordset, recordset } from '../../engine/writing/recordset.ts';
import { billWork, withdrawBillings } from '../billing/bill.ts';
import type { JudgedWrite } from '../rules/rulebook.ts';
import type { ShownBreach } from '../rules/shown.ts';
import { refusal, type Verdict, verdictOn } from '../staffing/checks.ts';
import { entryOf, type HistoryEntry, recordHistory } from '../staffing/history.ts';
import { followInherited } from '../staffing/inherited.ts';
import { storeEffectiveTimes } from '../staffing/times/effective.ts';
import { judgeFreed, selectTimed } from '../staffing/times/judged.ts';
import { frozen, isBooked, isHolding, type Seat } from '../staffing/transition.ts';
import { type Approval, approveWork, noPay, withdrawWork } from './approve.ts';
import { isPayable, writeDifferences, type Yielded } from './correction-sheets.ts';
import { onPayRun, type PaysheetOf, paysheetsOf } from './payment.ts';

/** The field that errors of approvals are reported on. */
export const approvedBy = 'approved_by_planner_id';

/** A requested approval of assignments, which are locked. */
export interface ApprovalChange extends JudgedWrite {
  readonly seats: readonly Seat[];
  /** Null withdraws the approval. */
  readonly planner: number | null;
  /** What stands against the planner. */
  readonly plannerErrors: readonly FieldError[];
  /** Whether it is only tried out: corrections then show what they would yield. */
  readonly rehearsed: boolean;
}

/** What an approval does with an assignment. */
export interface ApprovalOutcome extends BulkOutcome {
  /** The breaches of working-time rules that only warn. */
  readonly warned: readonly ShownBreach[];
}

/**
 * Approves assignments, or withdraws their approval.
 * They are judged in the order given, each with the effects of those before. The number of statements does not depend on the
 * number of assignments. If one fails, roll back: the others have been written in part. See docs/decisions.md, "Wages and approval".
 */
export const changeApproval = async (
  change: ApprovalChange,
  transaction: Transaction,
): Promise<readonly ApprovalOutcome[]> => {
  const { seats, planner } = change;
  const refused = await refusals(change, transaction);
  if (refused.size > 0) return outcomesOf(seats, refused);
  const decided = seats.filter(({ is_approved }) => is_approved !== (planner !== null));
  const decisions = await (planner === null ? withdraw : approve)(decided, change, transaction);
  const failed = failuresIn(decisions);
  if (failed.size > 0) return outcomesOf(seats, failed);
  const told = planner === null && decided.length > 0 ? followInherited(decided.map(idOf), transaction) : null;
  const yielded = await writeDifferences(openCorrections(decided), transaction);
  const unpayable = unpayableIn(yielded);
  if (unpayable.size > 0) return outcomesOf(seats, unpayable);
  const changed = await store(decided, { decisions, yielded }, change, transaction);
  const freed = told ? await freeTimes(decided, told, change, transaction) : new Map<number, Verdict>();
  const entries = seats
    .filter(seat => changed.has(idOf(seat)))
    .map(seat => approvalEntry(seat, planner, decisions.get(idOf(seat)), freed.get(idOf(seat)) ?? refusal([])));
  await recordHistory(entries, change.apiUserId, transaction);
  return outcomesOf(seats, failuresIn(freed), changed, freed);
};

type Failures = ReadonlyMap<number, readonly FieldError[]>;

const failuresIn = (found: ReadonlyMap<number, { readonly errors: readonly FieldError[] }>): Failures =>
  new Map([...found].flatMap(([id, { errors }]) => (errors.length > 0 ? [[id, errors] as const] : [])));

const outcomesOf = (
  seats: readonly Seat[],
  failed: Failures,
  changed: ReadonlySet<number> = new Set(),
  freed: ReadonlyMap<number, Verdict> = new Map(),
): readonly ApprovalOutcome[] =>
  seats.map(seat => {
    const id = idOf(seat);
    const errors = failed.get(id) ?? [];
    const result = errors.length > 0 ? 'failed' : changed.has(id) ? 'changed' : 'unchanged';
    return { id, result, errors, warned: freed.get(id)?.warned ?? [] };
  });

const approvalEntry = (
  seat: Seat,
  planner: number | null,
  decision: Approval | undefined,
  freed: Verdict,
): HistoryEntry => {
  const amount = (decision?.pay_amount ?? null) === null ? {} : { pay_amount: Number(decision?.pay_amount) };
  const overridden = [...(decision?.overridden ?? []), ...freed.overridden];
  return entryOf(seat, 'approval', { [approvedBy]: planner, ...amount }, { ...freed, overridden });
};

const idOf = ({ id }: Seat): number => Number(id);

/** Returns what stands against changes before anything is written, by assignment. */
const refusals = async (
  { seats, planner, plannerErrors }: ApprovalChange,
  transaction: Transaction,
): Promise<Failures> => {
  const bound = planner === null ? seats.filter(({ correction }) => correction === null).map(idOf) : [];
  const sheets = bound.length > 0 ? await paysheetsOf(bound, transaction) : new Map<number, PaysheetOf>();
  const refused = seats.map(seat => {
    const before = stateErrors(seat, planner, sheets.get(idOf(seat)));
    if (before.length > 0) return [idOf(seat), before] as const;
    const { status } = seat;
    const message = `An assignment in status ${status} can't be approved.`;
    const unbooked = planner === null || isHolding(status) ? [] : [fieldError('invalid_transition', 'status', message)];
    return [idOf(seat), [...plannerErrors, ...unbooked]] as const;
  });
  return new Map(refused.filter(([, errors]) => errors.length > 0));
};

/** @param sheet the paysheet of an assignment whose approval is withdrawn */
const stateErrors = (seat: Seat, planner: number | null, sheet: PaysheetOf | undefined): readonly FieldError[] => {
  if (seat.correction !== null) return planner === null ? frozen(seat, approvedBy) : [];
  if (sheet && sheet.pay_run_id !== null) return [onPayRun(sheet.pay_run_id, approvedBy)];
  if (seat.is_paid) return [fieldError('assignment_paid', approvedBy)];
  if (!sheet) return [];
  const message = `The approved pay is on the paysheet ${sheet.id}, which must be deleted first.`;
  return [fieldError('still_referenced', approvedBy, message)];
};

type Decide = (
  seats: readonly Seat[],
  change: ApprovalChange,
  transaction: Transaction,
) => Promise<ReadonlyMap<number, Approval>>;

const approve: Decide = async (seats, { force }, transaction) => {
  if (seats.length === 0) return new Map();
  const billed = await billWork(seats.map(idOf), approvedBy, transaction);
  const requests = seats.map(seat => {
    const id = idOf(seat);
    return { assignmentId: id, employeeId: seat.worker.id, errors: billed.get(id) ?? [] };
  });
  return approveWork(requests, { field: approvedBy, force }, transaction);
};

const withdraw: Decide = async (seats, _, transaction) => {
  if (seats.length === 0) return new Map();
  const ids = seats.map(idOf);
  const billed = await withdrawBillings(ids, transaction);
  await withdrawWork(ids, transaction);
  const errors = [fieldError('assignment_billed', approvedBy)];
  return new Map(ids.map(id => [id, { ...noPay, errors: billed.has(id) ? errors : [], overridden: [] }]));
};

const payColumns = { pay_amount: 'numeric', approved_wage_profile_id: 'bigint', correction: 'jsonb' };

const openCorrections = (seats: readonly Seat[]) =>
  new Map(seats.flatMap(({ id, correction }) => (correction === null ? [] : [[Number(id), correction] as const])));

/** Returns the errors of differences that can't be written. */
const unpayableIn = (yielded: ReadonlyMap<number, Yielded>): Failures => {
  const errors = [fieldError('out_of_range', approvedBy, 'The difference to what is paid is out of range.')];
  return new Map([...yielded].flatMap(([id, own]) => (isPayable(own) ? [] : [[id, errors] as const])));
};

/** What an approval found, by assignment. */
interface DecidedPay {
  readonly decisions: ReadonlyMap<number, Approval>;
  /** What the corrections that end yield. */
  readonly yielded: ReadonlyMap<number, Yielded>;
}

/**
 * Stores the pay of those that are decided, and the planner of those approved already.
 * @returns the ids of those that have changed
 */
const store = async (
  decided: readonly Seat[],
  { decisions, yielded }: DecidedPay,
  { seats, planner, rehearsed }: ApprovalChange,
  transaction: Transaction,
): Promise<ReadonlySet<number>> => {
  const { kysely } = transaction;
  const rows = decided.map(seat => {
    const id = idOf(seat);
    const { pay_amount, approved_wage_profile_id } = decisions.get(id) ?? noPay;
    const correction = rehearsed && seat.correction ? { ...seat.correction, ...yielded.get(id) } : null;
    return { id, pay_amount, approved_wage_profile_id, correction };
  });
  const approval = {
    is_approved: planner !== null,
    approved_by_planner_id: planner,
    approved_on: planner === null ? null : now,
    updated_at: now,
  };
  const deciding = kysely
    .updateTable('assignments as a')
    .from(recordset(rows, payColumns))
    .set({ ...approval, ...fromRecordset(payColumns) })
    .whereRef('a.id', '=', 'd.id')
    .returning('a.id');
  const others = planner === null ? [] : seats.filter(({ is_approved }) => is_approved).map(idOf);
  const replacing = kysely
    .updateTable('assignments')
    .set(approval)
    .where('id', '=', oneOf(others))
    .where('approved_by_planner_id', 'is distinct from', planner)
    .returning('id');
  const changed = [
    ...(rows.length > 0 ? await deciding.execute() : []),
    ...(others.length > 0 ? await replacing.execute() : []),
  ];
  return new Set(changed.map(({ id }) => id));
};

/**
 * Stores the effective times of assignments that are no longer approved.
 * Their events may have moved meanwhile. They are judged as a change of times, each with those of the others.
 * @param told called after the write
 */
const freeTimes = async (
  seats: readonly Seat[],
  told: () => void,
  { rulebook, force }: ApprovalChange,
  transaction: Transaction,
): Promise<ReadonlyMap<number, Verdict>> => {
  const scope = { field: 'id', id: oneOf(seats.map(idOf)) } as const;
  storeEffectiveTimes(scope, transaction);
  told();
  const booked = seats.filter(({ status }) => isBooked(status));
  if (booked.length === 0) return new Map();
  const freed = { field: 'id', id: oneOf(booked.map(idOf)) } as const;
  const [timed] = await transaction.run(selectTimed(freed, transaction));
  const found = await judgeFreed(booked, timed, rulebook, transaction, approvedBy);
  return new Map([...found].map(([id, obstacles]) => [id, verdictOn(obstacles, force)]));
};
