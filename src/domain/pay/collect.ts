import { type SqlBool, sql } from 'kysely';
import type { components } from '../../../generated/api.ts';
import { chunksOf } from '../../core/chunks.ts';
import { invalidField, validationFailed } from '../../core/errors.ts';
import { daySpan } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import { insertable, oneOf, unique, withIds } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { lockAssignments } from '../staffing/locks.ts';
import { type Assigned, draftSheets, firstWork, startOfWork } from './sheets.ts';
import { storeTotals } from './totals.ts';

/** What a pay run collects. */
export interface PayRunScope {
  /** The pay run. */
  readonly id: number;
  /** The first and the last day, as YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  /** Only assignments that are paid by this wage profile; null: all. */
  readonly wageProfileId: number | null;
  readonly include: readonly components['schemas']['PayRunPart'][];
}

/** The maximum number of assignments of a pay run. */
export const mostAssignments = 10_000;

/**
 * Makes a paysheet for each approved, unpaid assignment without one, and takes those of corrections.
 * Its work starts in the period in the tenant's time zone, or before it (`late`); its wages are the lines. Stores the sums in the pay run.
 * One statement adds a thousand paysheets. See docs/decisions.md, "Pay runs and paysheets" and "Corrections".
 * @throws ApiError validation_failed (422): `too_many_items`
 */
export const collect = async (collection: PayRunScope, transaction: Transaction): Promise<void> => {
  const paying = collection.include.some(part => part !== 'corrections');
  const correcting = collection.include.includes('corrections');
  const payable = paying ? await payableIn(collection, transaction) : [];
  const corrected = correcting ? await correctedIn(collection, transaction) : [];
  const found = unique([...payable.map(({ id }) => id), ...corrected.map(({ assignment_id }) => assignment_id)]);
  if (found.length > mostAssignments) {
    const message = `The period has more than ${mostAssignments} assignments to pay. Choose a shorter one, or a wage profile.`;
    throw invalidField('too_many_items', 'period_end', message);
  }
  // What another transaction has approved, paid, reopened or withdrawn meanwhile is judged anew once its lock is acquired.
  await lockAssignments(found, transaction);
  if (payable.length > 0) await addPaysheets(collection, await payableIn(collection, transaction, found), transaction);
  if (corrected.length > 0) await takeCorrections(collection, found, transaction);
  await storeTotals(collection.id, transaction);
};

/** An assignment to pay. */
interface Payable {
  readonly id: number;
  readonly is_late: boolean;
}

/** Returns the assignments to pay, of those given, if any; at most one more than a pay run can have. */
const payableIn = async (
  { from, to, wageProfileId, include }: PayRunScope,
  { kysely, tenant }: Transaction,
  among: readonly number[] | null = null,
): Promise<readonly Payable[]> => {
  const [first, last] = [daySpan(from, tenant.timeZone), daySpan(to, tenant.timeZone)];
  const begin = first?.from ?? '-infinity';
  return (
    kysely
      .selectFrom('assignments as a')
      .leftJoinLateral(
        eb => firstWork(eb as never),
        join => join.onTrue(),
      )
      .select(['a.id', sql<boolean>`${startOfWork} < ${begin}`.as('is_late')])
      // Not compared with a parameter, so that the partial index applies.
      .where(sql<SqlBool>`a.is_approved`)
      .where('a.paid_on', 'is', null)
      .where(eb => hasNoPaysheet(eb as never))
      .$if(!include.includes('late'), query => query.where(startOfWork, '>=', begin))
      .where(startOfWork, '<', include.includes('regular') ? (last?.to ?? 'infinity') : begin)
      .$if(wageProfileId !== null, query => query.where('a.approved_wage_profile_id', '=', wageProfileId))
      .$if(among !== null, query => query.where('a.id', '=', oneOf(among ?? [])))
      .orderBy('a.id')
      .limit(mostAssignments + 1)
      .execute()
  );
};

/** Builds the condition that an assignment has no paysheet. */
const hasNoPaysheet = ({ not, exists, selectFrom }: Assigned) =>
  not(exists(selectFrom('paysheets as s').select('s.id').whereRef('s.assignment_id', '=', 'a.id')));

/** Adds the paysheets of locked assignments. */
const addPaysheets = async (
  { id, from, to }: PayRunScope,
  payable: readonly Payable[],
  transaction: Transaction,
): Promise<void> => {
  const late = new Set(payable.filter(({ is_late }) => is_late).map(assignment => assignment.id));
  const ids = payable.map(assignment => assignment.id);
  const { sheets, errors } = await draftSheets(ids, 'period_end', transaction);
  if (errors.length > 0) throw validationFailed(errors);
  const rows = sheets.map(sheet => ({
    ...sheet,
    kind: late.has(sheet.assignment_id) ? ('late' as const) : ('regular' as const),
    pay_run_id: id,
    period_start: from,
    period_end: to,
  }));
  for (const chunk of chunksOf(await withIds(transaction, 'paysheets', rows), insertable))
    await transaction.kysely.insertInto('paysheets').values(chunk).execute();
};

/**
 * Selects the paysheets of corrections that no pay run has, written until the end of the period.
 * Those of assignments that are open again wait for the next approval, which replaces them.
 */
const correctionsIn = ({ to, wageProfileId }: PayRunScope, { kysely, tenant }: Transaction) =>
  kysely
    .selectFrom('paysheets as s')
    .innerJoin('assignments as a', 'a.id', 's.assignment_id')
    .innerJoin('paysheets as o', 'o.id', 's.corrects_paysheet_id')
    .select(['s.id', 's.assignment_id'])
    .where(sql<SqlBool>`s.kind = 'correction'`)
    .where('s.pay_run_id', 'is', null)
    .where('a.correction', 'is', null)
    .where('s.created_at', '<', daySpan(to, tenant.timeZone)?.to ?? 'infinity')
    .$if(wageProfileId !== null, query => query.where('o.wage_profile_id', '=', wageProfileId));

const correctedIn = (
  collection: PayRunScope,
  transaction: Transaction,
): Promise<readonly { readonly assignment_id: number }[]> =>
  correctionsIn(collection, transaction)
    .clearSelect()
    .select('s.assignment_id')
    .distinct()
    .orderBy('s.assignment_id')
    .limit(mostAssignments + 1)
    .execute();

/** Takes the paysheets of corrections of locked assignments. */
const takeCorrections = async (
  collection: PayRunScope,
  assignmentIds: readonly number[],
  transaction: Transaction,
): Promise<void> => {
  const sheets = await correctionsIn(collection, transaction)
    .where('s.assignment_id', '=', oneOf(assignmentIds))
    .execute();
  await transaction.kysely
    .updateTable('paysheets')
    .set({ pay_run_id: collection.id, updated_at: now })
    .where('id', '=', oneOf(sheets.map(({ id }) => id)))
    .execute();
};
