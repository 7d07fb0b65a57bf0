import type { components } from '../../../generated/api.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { OPEN, PAID } from './payment.ts';
import { type Assigned, draftSheets } from './sheets.ts';

/** What the correction of an assignment says of it. */
export type Correction = components['schemas']['AssignmentCorrection'];

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
  if (sheet.run_status === OPEN || (sheet.run_status === null && paid_on === null)) return { errors: [notPaid(field)] };
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

/** The same on an open pay run and on none: with pay hidden, the difference must not show. */
const notPaid = (field: string): FieldError =>
  fieldError(
    'invalid_transition',
    field,
    'The work is neither paid nor on an approved pay run: take it out of an open one, if it is on one, and withdraw the approval.',
  );

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
