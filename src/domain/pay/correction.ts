import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { components } from '../../../generated/api.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { newId, withIds } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { differenceOf, linesJson, type WageLine } from './difference.ts';
import { sumOf } from './money.ts';
import { type Assigned, draftSheets, type PaysheetDraft, wageLine } from './sheets.ts';

/** What the correction of an assignment says of it. */
export type Correction = components['schemas']['AssignmentCorrection'];

const OPEN = 1;
const PAID = 3;

/**
 * Returns the paysheet that a correction of a locked, approved assignment corrects.
 * Work that was paid without one gets it now. See docs/decisions.md, "Corrections".
 * @param field the field that errors are reported on
 */
export const paysheetToCorrect = async (
  id: number,
  field: string,
  transaction: Transaction,
): Promise<{ readonly paysheetId?: number; readonly errors: readonly FieldError[] }> => {
  const { paid_on, ...sheet } = await correctableOf(id, transaction);
  // The status of the run is read after the lock of the assignment, which each change of it takes.
  if (sheet.run_status === OPEN) return { errors: [openRun(field)] };
  if (sheet.run_status === null && paid_on === null) return { errors: [notPaid(field)] };
  if (sheet.id !== null) return { paysheetId: sheet.id, errors: [] };
  const { sheets, errors } = await draftSheets([id], field, transaction);
  const [draft] = sheets;
  if (!draft || errors.length > 0) return { errors };
  const paysheetId = await newId(transaction, 'paysheets');
  const period = { period_start: draft.worked_on, period_end: draft.worked_on };
  await transaction.kysely
    .insertInto('paysheets')
    .values({ ...draft, id: paysheetId, ...period, status: PAID, paid_on })
    .execute();
  return { paysheetId, errors: [] };
};

const openRun = (field: string): FieldError =>
  fieldError(
    'invalid_transition',
    field,
    'The pay run is open: take the assignment out of it and withdraw the approval.',
  );

const notPaid = (field: string): FieldError =>
  fieldError('invalid_transition', field, 'The assignment has not been paid: withdraw the approval instead.');

/** Returns when an assignment was paid, its paysheet, and the status of its pay run; null: none. */
const correctableOf = async (assignmentId: number, { kysely }: Transaction) =>
  kysely
    .selectFrom('assignments as a')
    .leftJoin('paysheets as s', join => join.onRef('s.assignment_id', '=', 'a.id').on('s.kind', '<>', 'correction'))
    .leftJoin('pay_runs as r', 'r.id', 's.pay_run_id')
    .select(['a.paid_on', 's.id', 'r.status as run_status'])
    .where('a.id', '=', assignmentId)
    .executeTakeFirstOrThrow();

/** Returns an assignment of a pay run's own work with an open correction, or a paysheet of one. */
export const correctedOn = async (payRunId: number, { kysely }: Transaction): Promise<number | undefined> => {
  const row = await kysely
    .selectFrom('paysheets as o')
    .innerJoin('assignments as a', 'a.id', 'o.assignment_id')
    .select('a.id')
    .where('o.pay_run_id', '=', payRunId)
    .where('o.kind', '<>', 'correction')
    .where(eb => hasCorrection(eb as never))
    .orderBy('a.id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
};

/**
 * Deletes paysheets of an open pay run, so that their assignments can be collected again.
 * Those of corrections are released.
 */
export const releaseSheets = async (
  { field, id }: { readonly field: 'id' | 'pay_run_id'; readonly id: number },
  { kysely }: Transaction,
): Promise<void> => {
  await kysely.deleteFrom('paysheets').where(field, '=', id).where('kind', '<>', 'correction').execute();
  await kysely
    .updateTable('paysheets')
    .set({ pay_run_id: null, updated_at: now })
    .where(field, '=', id)
    .where('kind', '=', 'correction')
    .execute();
};

/** Builds the condition that an assignment has a correction: one that is open, or a paysheet of one. */
const hasCorrection = ({ eb, exists, or, selectFrom }: Assigned) =>
  or([
    eb('a.correction', 'is not', null),
    exists(
      selectFrom('paysheets as s')
        .select('s.id')
        .whereRef('s.assignment_id', '=', 'a.id')
        .where('s.kind', '=', 'correction'),
    ),
  ]);

/** Returns whether an assignment, which is locked, has a correction that is open or a paysheet of one. */
export const isCorrected = async (assignmentId: number, { kysely }: Transaction): Promise<boolean> => {
  const row = await kysely
    .selectFrom('assignments as a')
    .select('a.id')
    .where('a.id', '=', assignmentId)
    .where(eb => hasCorrection(eb as never))
    .executeTakeFirst();
  return row !== undefined;
};

/**
 * Writes what a correction of a locked assignment yields.
 * One paysheet for each currency; none without a difference.
 * Earlier ones that no pay run has collected are replaced. Call it once the wages are final.
 * @returns the lines, and their sums by currency
 */
export const writeDifference = async (
  assignmentId: number,
  { number, paysheet_id }: Correction,
  transaction: Transaction,
): Promise<Pick<Correction, 'lines' | 'totals'>> => {
  const { kysely } = transaction;
  await kysely
    .deleteFrom('paysheets')
    .where('assignment_id', '=', assignmentId)
    .where('kind', '=', 'correction')
    .where('pay_run_id', 'is', null)
    .execute();
  const lines = differenceOf(await paidLines(assignmentId, transaction), await owedLines(assignmentId, transaction));
  const byCurrency = [...Map.groupBy(lines, ({ currency }) => currency)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (byCurrency.length > 0) await addSheets(assignmentId, number, paysheet_id, byCurrency, transaction);
  return {
    lines: JSON.parse(linesJson(lines)),
    totals: byCurrency.map(([currency, own]) => ({ currency, amount: Number(sumOf(own.map(({ amount }) => amount))) })),
  };
};

const addSheets = async (
  assignmentId: number,
  number: number,
  paysheetId: number,
  byCurrency: readonly (readonly [currency: string, lines: readonly WageLine[]])[],
  transaction: Transaction,
): Promise<void> => {
  const { kysely } = transaction;
  const { sheets } = await draftSheets([assignmentId], 'id', transaction);
  const [draft] = sheets;
  const corrected = await kysely
    .selectFrom('paysheets')
    .select(['period_start', 'period_end', 'wage_profile_id', 'worked_on', 'project_id', 'client_id'])
    .where('id', '=', paysheetId)
    .executeTakeFirstOrThrow();
  if (!draft) throw new Error('An assignment does not exist although it is locked.');
  // A paysheet made by hand does not say when and for whom the work was.
  const own = corrected.worked_on === null ? { ...corrected, ...placeOf(draft) } : corrected;
  const rows = byCurrency.map(([currency, lines]) => ({
    ...own,
    assignment_id: assignmentId,
    paid_employee_id: draft.paid_employee_id,
    kind: 'correction' as const,
    corrects_paysheet_id: paysheetId,
    number,
    currency,
    lines: linesJson(lines),
  }));
  await kysely
    .insertInto('paysheets')
    .values(await withIds(transaction, 'paysheets', rows))
    .execute();
};

const placeOf = ({ worked_on, project_id, client_id }: PaysheetDraft) => ({
  worked_on,
  project_id,
  client_id,
});

/** The columns of a line, decimals as text; where only an amount is known, it is the rate. */
const columnsOf = (line: RawBuilder<unknown>) => {
  const text = (name: string) => sql<string>`${line} ->> ${sql.lit(name)}`;
  const factors = (name: string) =>
    sql<string>`case when ${text('rate')} is null then '1' else coalesce(${text(name)}, '1') end`;
  return [
    sql<number | null>`(${text('wage_type_id')})::bigint`.as('wage_type_id'),
    text('name').as('name'),
    factors('quantity').as('quantity'),
    sql<string | null>`${text('unit')}`.as('unit'),
    sql<string>`coalesce(${text('rate')}, ${text('amount')})`.as('rate'),
    factors('factor').as('factor'),
    text('amount').as('amount'),
    text('currency').as('currency'),
    sql<string | null>`${text('wage_type_external_id')}`.as('wage_type_external_id'),
  ] as const;
};

/** Returns the wage lines of an assignment's paysheets: of one made by hand, those with a wage type. */
const paidLines = (assignmentId: number, { kysely }: Transaction): Promise<readonly WageLine[]> =>
  kysely
    .selectFrom(eb =>
      eb
        .selectFrom('paysheets as s')
        .select(['s.id', 's.wage_profile_id', 's.worked_on', sql`jsonb_array_elements(s.lines)`.as('line')])
        .where('s.assignment_id', '=', assignmentId)
        .as('e'),
    )
    .select(columnsOf(sql.ref('e.line')))
    .select(
      sql<number | null>`coalesce((e.line ->> 'wage_profile_id')::bigint, e.wage_profile_id)`.as('wage_profile_id'),
    )
    .where(sql<SqlBool>`(e.worked_on is not null or e.line ->> 'wage_type_id' is not null)`)
    .orderBy('e.id')
    .execute();

/** Returns the enabled wages of an assignment as lines. */
const owedLines = (assignmentId: number, { kysely }: Transaction): Promise<readonly WageLine[]> =>
  kysely
    .selectFrom(eb =>
      eb
        .selectFrom('assignment_wages as w')
        .select(['w.id', 'w.wage_profile_id', wageLine.as('line')])
        .where('w.assignment_id', '=', assignmentId)
        .where('w.is_disabled', '=', false)
        .as('e'),
    )
    .select(columnsOf(sql.ref('e.line')))
    .select('e.wage_profile_id')
    .orderBy('e.id')
    .execute();
