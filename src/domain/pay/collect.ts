import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';
import { type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import { daySpan } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import { chunksOf, literal, withIds } from '../../db/ids.ts';

/** What a pay run collects. */
export interface PayRunScope {
  /** The pay run. */
  readonly id: number;
  /** The first and the last day, as YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  /** Only assignments that are paid by this wage profile; null: all. */
  readonly wageProfileId: number | null;
}

/** The maximum number of assignments of a pay run. */
export const mostAssignments = 10_000;

/**
 * Makes a paysheet for each approved, unpaid assignment of the period without one.
 * Its work starts in the period in the tenant's time zone; its wages are the lines. Stores the sums in the pay run. One
 * statement adds a thousand paysheets. See docs/decisions.md, "Pay runs and paysheets".
 * @throws ApiError validation_failed (422): `too_many_items`
 */
export const collect = async (collection: PayRunScope, transaction: Transaction): Promise<void> => {
  const found = await lockPayable(collection, transaction);
  if (found.length > mostAssignments) {
    const message = `The period has more than ${mostAssignments} assignments to pay. Choose a shorter one, or a wage profile.`;
    throw validationFailed([fieldError('too_many_items', 'period_end', message)]);
  }
  await addPaysheets(collection, found, transaction);
  await storeTotals(collection.id, transaction);
};

type Assigned = ExpressionBuilder<Tables & { a: Tables['assignments'] }, 'a'>;

/** Builds the query of when an assignment's work starts: its first work time, which may be null. */
const firstWork = (eb: Assigned) =>
  eb
    .selectFrom('work_times as t')
    .select(({ fn }) => fn.min('t.start').as('start'))
    .whereRef('t.event_function_employee_id', '=', 'a.id')
    .as('first');

const startOfWork = sql<string>`coalesce(first.start, a.effective_start)`;

/** Builds the condition that an assignment has no paysheet. */
const hasNoPaysheet = ({ not, exists, selectFrom }: Assigned) =>
  not(exists(selectFrom('paysheets as s').select('s.id').whereRef('s.assignment_id', '=', 'a.id')));

/**
 * Locks the assignments to pay, at most one more than a pay run can have.
 * One that another transaction has approved, paid or withdrawn meanwhile is judged anew once its lock is acquired.
 */
const lockPayable = async (
  { from, to, wageProfileId }: PayRunScope,
  { kysely, tenant }: Transaction,
): Promise<readonly number[]> => {
  const [first, last] = [daySpan(from, tenant.timeZone), daySpan(to, tenant.timeZone)];
  const rows = await kysely
    .selectFrom('assignments as a')
    .leftJoinLateral(
      eb => firstWork(eb as never),
      join => join.onTrue(),
    )
    .select('a.id')
    // Not compared with a parameter, so that the partial index applies.
    .where(sql<SqlBool>`a.is_approved`)
    .where('a.paid_on', 'is', null)
    .where(eb => hasNoPaysheet(eb as never))
    .where(startOfWork, '>=', first?.from ?? '-infinity')
    .where(startOfWork, '<', last?.to ?? 'infinity')
    .$if(wageProfileId !== null, query => query.where('a.approved_wage_profile_id', '=', wageProfileId))
    .orderBy('a.id')
    .limit(mostAssignments + 1)
    .forNoKeyUpdate('a')
    .execute();
  return rows.map(({ id }) => id);
};

/** Adds the paysheets of locked assignments, but for those that have one meanwhile. */
const addPaysheets = async (
  { id, from, to }: PayRunScope,
  assignmentIds: readonly number[],
  transaction: Transaction,
): Promise<void> => {
  const { kysely, tenant } = transaction;
  const found = await kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .innerJoin('projects as j', 'j.id', 'e.project_id')
    .leftJoin('wage_profiles as p', 'p.id', 'a.approved_wage_profile_id')
    .leftJoinLateral(
      eb => firstWork(eb as never),
      join => join.onTrue(),
    )
    .leftJoinLateral(
      eb => linesOf(eb as never),
      join => join.onTrue(),
    )
    .select([
      'a.id as assignment_id',
      'a.employee_id as paid_employee_id',
      'e.project_id',
      sql<number | null>`coalesce(e.client_id, j.client_id)`.as('client_id'),
      'a.approved_wage_profile_id as wage_profile_id',
      sql<string>`coalesce(w.currency, p.currency, 'EUR')`.as('currency'),
      sql<boolean>`coalesce(w.is_mixed, false)`.as('is_mixed'),
      sql<string>`(${startOfWork} at time zone ${tenant.timeZone})::date`.as('worked_on'),
      sql<string>`coalesce(w.lines, '[]')::text`.as('lines'),
    ])
    .where('a.id', '=', sql<number>`any(${literal(assignmentIds)}::bigint[])`)
    .where(eb => hasNoPaysheet(eb as never))
    .orderBy('a.id')
    .execute();
  const mixed = found.filter(({ is_mixed }) => is_mixed).map(({ assignment_id }) => assignment_id);
  if (mixed.length > 0) throw validationFailed([mixedError(mixed)]);
  const rows = found.map(({ is_mixed: _, ...row }) => ({ ...row, pay_run_id: id, period_start: from, period_end: to }));
  for (const chunk of chunksOf(await withIds(transaction, 'paysheets', rows)))
    await kysely.insertInto('paysheets').values(chunk).execute();
};

/** Returns the error of assignments that an earlier release approved with several currencies. */
const mixedError = (assignmentIds: readonly number[]): FieldError => {
  const named = assignmentIds.slice(0, 10).join(', ');
  const message = `Assignments are approved with wages of several currencies: ${named}. Withdraw their approval and disable the wages that do not belong to it.`;
  return fieldError('currency_mismatch', 'period_end', message);
};

/** Builds the query of an assignment's enabled wages as lines of a paysheet, and of their currency. */
const linesOf = (eb: Assigned) =>
  eb
    .selectFrom('assignment_wages as w')
    .select([
      sql<string>`min(w.currency)`.as('currency'),
      sql<boolean>`min(w.currency) <> max(w.currency)`.as('is_mixed'),
      sql<string>`jsonb_agg(jsonb_build_object(
        'wage_type_id', w."wage_type.id",
        'name', coalesce(nullif(w."wage_type.name", ''), 'Wage ' || w.id),
        'quantity', trim_scale(w.line_quantity),
        'unit', w."wage_type_value.unit",
        'rate', trim_scale(w.line_rate),
        'factor', trim_scale(w.line_factor),
        'amount', coalesce(w.payable_amount, 0),
        'currency', w.currency
      ) order by w.id)`.as('lines'),
    ])
    .whereRef('w.assignment_id', '=', 'a.id')
    .where('w.is_disabled', '=', false)
    .as('w');

const storeTotals = async (id: number, { kysely }: Transaction): Promise<void> => {
  const rows = await kysely
    .selectFrom('paysheets')
    .select(({ fn }) => ['currency', fn.countAll<number>().as('count'), fn.sum<string>('total').as('amount')])
    .where('pay_run_id', '=', id)
    .groupBy('currency')
    .orderBy('currency')
    .execute();
  const [only] = rows;
  await kysely
    .updateTable('pay_runs')
    .set({
      paysheet_count: rows.reduce((sum, { count }) => sum + Number(count), 0),
      totals: JSON.stringify(rows.map(({ currency, amount }) => ({ currency, amount: Number(amount) }))),
      total: rows.length > 1 ? null : (only?.amount ?? 0),
    })
    .where('id', '=', id)
    .execute();
};
