import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Json } from '../../core/call/reply.ts';
import { ApiError, type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { changedFields } from '../../db/journal/returning.ts';
import { isCorrected } from '../../domain/pay/correction.ts';
import { isStorable, sumOf } from '../../domain/pay/money.ts';
import { PAID, paysheetOf, recordPayment } from '../../domain/pay/payment.ts';
import { currencyOf, profilesOf } from '../../domain/pay/profile.ts';
import { lockAround, lockedAssignment } from '../../domain/work/lock.ts';
import type { Values } from '../../engine/body.ts';
import type { RecordChange, Rules } from '../../engine/rules.ts';

const fixed = ['wage_profile_id', 'period_start', 'period_end', 'lines'];

/** A paysheet belongs to an approved assignment and is paid with it; on a pay run it is fixed. */
export const paysheets: Rules<string> = {
  lock: lockAround('paysheets'),
  check: async (change, transaction) => {
    const { before, after } = change;
    if (before?.kind === 'correction') return { errors: correctionErrors(change) };
    if ((before?.pay_run_id ?? null) !== null) return { errors: runErrors(change) };
    if (before && (await isCorrected(Number(before.assignment_id), transaction)))
      return { errors: correctedErrors(change) };
    if (!after) return { errors: before?.status === PAID ? [fieldError('assignment_paid', 'status')] : [] };
    const errors = before ? await keptErrors(before, after, transaction) : await assignmentErrors(after, transaction);
    const currency = await currencyFor(after, transaction);
    return { errors: [...paymentErrors(after), ...lineErrors(after, currency), ...errors], found: currency };
  },
  follow: async ({ before, after }, transaction, call, currency) => {
    if (after && currency && before?.lines !== after.lines)
      await storeLines(after, before === null ? { currency } : {}, currency, transaction);
    const paidOn = after?.paid_on ?? null;
    if (!after || paidOn === (before?.paid_on ?? null)) return;
    const assignments = [Number(after.assignment_id)];
    await recordPayment(assignments, paidOn === null ? null : String(paidOn), call.principal.apiUser.id, transaction);
  },
};

/** The errors of a write of a pay run's paysheet: one for each changed field, one of a deletion. */
const runErrors = (change: RecordChange): readonly FieldError[] => {
  const message = `The paysheet changes only through the pay run ${change.before?.pay_run_id}.`;
  return change.after ? changedErrors(change, message) : [fieldError('on_pay_run', 'pay_run_id', message)];
};

const changedErrors = ({ before, after }: RecordChange, message: string): readonly FieldError[] =>
  Object.keys(after ?? {})
    .filter(name => !isDeepStrictEqual(before?.[name], after?.[name]))
    .map(name => fieldError('read_only', name, message));

/** The errors of a write of a correction's paysheet. */
const correctionErrors = (change: RecordChange): readonly FieldError[] => {
  const message = 'The paysheet has what a correction yields: reopen the assignment to change it.';
  return change.after ? changedErrors(change, message) : [fieldError('correction_open', 'kind', message)];
};

/**
 * The errors of a write of a paysheet that a correction corrects.
 * @throws ApiError still_referenced (409) on its deletion
 */
const correctedErrors = (change: RecordChange): readonly FieldError[] => {
  const message = 'A correction of the assignment depends on the paysheet.';
  if (!change.after) throw new ApiError('still_referenced', { message });
  return changedErrors(change, message);
};

const assignmentErrors = async (after: Values, transaction: Transaction): Promise<readonly FieldError[]> => {
  const assignment = await lockedAssignment(after.assignment_id ?? null, transaction);
  const other = await paysheetOf(assignment.id, transaction);
  if (other) {
    const message = `assignment_id: the assignment has the paysheet ${other.id} already.`;
    return [fieldError('not_unique', 'assignment_id', message)];
  }
  if (!assignment.is_approved) return [fieldError('not_approved', 'assignment_id')];
  return assignment.is_paid && after.status !== PAID ? [fieldError('assignment_paid', 'assignment_id')] : [];
};

type Line = Readonly<Record<string, Json>>;

const linesOf = ({ lines = [] }: Values): readonly Line[] => lines as unknown as readonly Line[];

/** Returns the currency of a paysheet's lines: own, wage profile's, approved wages' or effective one. */
const currencyFor = async (after: Values, transaction: Transaction): Promise<string> => {
  if (typeof after.currency === 'string') return after.currency;
  const own = await currencyOf(after.wage_profile_id ?? null, transaction);
  if (own !== undefined) return own;
  const id = Number(after.assignment_id);
  const wage = await transaction.kysely
    .selectFrom('assignment_wages')
    .select('currency')
    .where('assignment_id', '=', id)
    .where('is_disabled', '=', false)
    .limit(1)
    .executeTakeFirst();
  return wage?.currency ?? (await profilesOf([id], transaction)).get(id)?.currency ?? 'EUR';
};

const lineErrors = (after: Values, currency: string): readonly FieldError[] => [
  ...(isStorable(sumOf(linesOf(after).map(({ amount }) => Number(amount))))
    ? []
    : [fieldError('out_of_range', 'lines', 'lines: the sum of their amounts is out of range.')]),
  ...linesOf(after).flatMap((line, index) =>
    Object.entries({ currency, wage_profile_id: after.wage_profile_id ?? null })
      .filter(([name, own]) => (line[name] ?? own) !== own)
      .map(([name, own]) =>
        fieldError('read_only', `lines.${index}.${name}`, `lines.${index}.${name} is that of the paysheet, ${own}.`),
      ),
  ),
];

/** Stores the lines of a paysheet with their currency, and what else changes with them. */
const storeLines = async (
  after: Values,
  more: { readonly currency?: string },
  currency: string,
  { kysely }: Transaction,
): Promise<void> => {
  const lines = linesOf(after).map(line => ({ ...line, currency }));
  await kysely
    .updateTable('paysheets')
    .set({ ...more, lines: JSON.stringify(lines) })
    .where('id', '=', Number(after.id))
    // Of a new one also the currency that is that of the column without it.
    .returning(changedFields({ currency: sql`${sql.lit(more.currency !== undefined)}` }))
    .execute();
};

const paymentErrors = ({ status, paid_on: paidOn = null }: Values): readonly FieldError[] => {
  if (status === PAID && paidOn === null)
    return [fieldError('not_empty', 'paid_on', 'paid_on: required for a paid paysheet.')];
  return status !== PAID && paidOn !== null
    ? [fieldError('invalid_transition', 'status', 'status: must be 3 if paid_on is set.')]
    : [];
};

/** The errors of what a paid paysheet, or one that reopening made, keeps. */
const keptErrors = async (before: Values, after: Values, transaction: Transaction): Promise<readonly FieldError[]> => {
  const changed = fixed.filter(name => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length === 0) return [];
  if (before.status !== PAID && (await isByHand(Number(before.id), transaction))) return [];
  return changed.map(name => fieldError('read_only', name, `${name} of this paysheet can't be changed any more.`));
};

/** Returns whether a paysheet was made by hand: the others know the day of the work. */
const isByHand = async (id: number, { kysely }: Transaction): Promise<boolean> => {
  const query = kysely.selectFrom('paysheets').select('worked_on').where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).worked_on === null;
};
