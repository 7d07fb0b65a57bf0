import { type ExpressionBuilder, sql } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import { localDateOf } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';

/** An assignment, of a query whose table is `a`. */
export type Assigned = ExpressionBuilder<Tables & { a: Tables['assignments'] }, 'a'>;

/** Builds the query of when an assignment's work starts: its first work time, which may be null. */
export const firstWork = (eb: Assigned) =>
  eb
    .selectFrom('work_times as t')
    .select(({ fn }) => fn.min('t.start').as('start'))
    .whereRef('t.event_function_employee_id', '=', 'a.id')
    .as('first');

/** When its work starts, with `firstWork` joined: without work times, as planned. */
export const startOfWork = sql<string>`coalesce(first.start, a.effective_start)`;

/** A wage `w` as a line of a paysheet. */
export const wageLine = sql<string>`jsonb_build_object(
  'wage_type_id', coalesce(w."wage_type.id", w.wage_type_id),
  'name', coalesce(nullif(w."wage_type.name", ''), 'Wage ' || w.id),
  'quantity', trim_scale(w.line_quantity),
  'unit', w."wage_type_value.unit",
  'rate', trim_scale(w.line_rate),
  'factor', trim_scale(w.line_factor),
  'amount', coalesce(w.payable_amount, 0),
  'currency', w.currency,
  'wage_profile_id', w.wage_profile_id,
  'wage_type_external_id', w."wage_type.external_id"
)`;

/** Builds the query of an assignment's enabled wages as lines of a paysheet, and of their currency. */
const linesOf = (eb: Assigned) =>
  eb
    .selectFrom('assignment_wages as w')
    .select([
      sql<string>`min(w.currency)`.as('currency'),
      sql<boolean>`min(w.currency) <> max(w.currency)`.as('is_mixed'),
      sql<string>`jsonb_agg(${wageLine} order by w.id)`.as('lines'),
    ])
    .whereRef('w.assignment_id', '=', 'a.id')
    .where('w.is_disabled', '=', false)
    .as('w');

/**
 * Returns what paysheets of assignments say of them, in the order of their ids.
 * Whose they are, when and for whom the work was, and the wages as lines.
 * @param field the field that errors are reported on
 */
export const draftSheets = async (assignmentIds: readonly number[], field: string, { kysely, tenant }: Transaction) => {
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
      startOfWork.as('starts'),
      sql<string>`coalesce(w.lines, '[]')::text`.as('lines'),
    ])
    .where('a.id', '=', oneOf(assignmentIds))
    .orderBy('a.id')
    .execute();
  const mixed = found.filter(({ is_mixed }) => is_mixed).map(({ assignment_id }) => assignment_id);
  return {
    // By the days that pay runs take work by, not by what the database knows of the time zone.
    sheets: found.map(({ is_mixed: _, starts, ...sheet }) => ({
      ...sheet,
      worked_on: localDateOf(starts, tenant.timeZone),
    })),
    errors: mixed.length === 0 ? [] : [mixedError(mixed, field)],
  };
};

/** A paysheet as far as its assignment decides it; `lines` are JSON. */
export type PaysheetDraft = Awaited<ReturnType<typeof draftSheets>>['sheets'][number];

/** Returns the error of assignments that an earlier release approved with several currencies. */
const mixedError = (assignmentIds: readonly number[], field: string): FieldError => {
  const named = assignmentIds.slice(0, 10).join(', ');
  const message = `Assignments are approved with wages of several currencies: ${named}. Withdraw their approval and disable the wages that do not belong to it.`;
  return fieldError('currency_mismatch', field, message);
};
