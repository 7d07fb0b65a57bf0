import { sql } from 'kysely';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';

/** A wage that is not disabled. */
export interface PayableWage {
  readonly id: number;
  readonly amount: string;
  readonly currency: string;
  readonly is_valid: boolean;
}

/**
 * Returns the wages that are paid of assignments that are being approved, by assignment and id.
 * Each gets the amount that its line multiplies to, which an amount stored by an earlier release may not have.
 */
export const payableWages = async (
  assignmentIds: readonly number[],
  transaction: Transaction,
): Promise<ReadonlyMap<number, readonly PayableWage[]>> => {
  const { kysely } = transaction;
  const amount = sql<string>`amount_of(currency, line_quantity, line_rate, line_factor)`;
  const correcting = kysely
    .updateTable('assignment_wages')
    .set({ payable_amount: amount })
    .where('assignment_id', '=', oneOf(assignmentIds))
    .where('is_disabled', '=', false)
    .where('payable_amount', '<>', amount);
  const reading = kysely
    .selectFrom('assignment_wages')
    .select(['id', 'assignment_id', 'currency', 'is_valid', sql<string>`coalesce(payable_amount, 0)`.as('amount')])
    .where('assignment_id', '=', oneOf(assignmentIds))
    .where('is_disabled', '=', false)
    .orderBy('id');
  const [, wages] = await transaction.run(correcting, reading);
  return Map.groupBy(wages, wage => wage.assignment_id);
};

/**
 * Returns the error of an assignment whose wages have another currency than it is paid in.
 * Null: it has no wage profile, and is paid in that of its first wage.
 */
export const currencyErrors = (
  wages: readonly PayableWage[],
  currency: string | null,
  field: string,
): readonly FieldError[] => {
  const others = wages.filter(wage => wage.currency !== (currency ?? wages[0]?.currency));
  return others.length === 0 ? [] : [fieldError('currency_mismatch', field, undefined, { wage_ids: idsOf(others) })];
};

/** Returns the doubt about wages that no longer fit the work. */
export const validityDoubts = (wages: readonly PayableWage[], field: string): readonly FieldError[] => {
  const invalid = wages.filter(({ is_valid }) => !is_valid);
  return invalid.length === 0 ? [] : [fieldError('wage_invalid', field, undefined, { wage_ids: idsOf(invalid) })];
};

const idsOf = (wages: readonly PayableWage[]): number[] => wages.map(({ id }) => id);
