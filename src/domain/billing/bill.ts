import { sql } from 'kysely';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { withIds } from '../../db/ids.ts';
import { isWithin } from '../pay/money.ts';
import { type BillingTerms, type Component, deriveBillings } from './derive.ts';

/** The largest amount of a billing. */
export const largestAmount = 9_999_999_999;

/**
 * Derives and stores the billings of a locked assignment that is being approved.
 * With errors, roll back. Does nothing for a tenant without the module billing. See docs/decisions.md, "Billing".
 */
export const billWork = async (
  assignmentId: number,
  field: string,
  transaction: Transaction,
): Promise<readonly FieldError[]> => {
  const { kysely, tenant } = transaction;
  if (!tenant.modules.has('billing')) return [];
  const terms = await termsOf(assignmentId, transaction);
  if (!terms) return [];
  const works = await kysely
    .selectFrom('work_times')
    .select(['start', 'end', 'break_start', 'break_end'])
    .where('event_function_employee_id', '=', assignmentId)
    .execute();
  const billings = deriveBillings(works, terms, tenant.timeZone);
  const tooLarge = billings.find(({ billable_amount }) => !isWithin(billable_amount, 0, largestAmount));
  if (tooLarge) {
    const { billing_component_id } = tooLarge;
    return [
      fieldError('out_of_range', field, 'The amount of a billing component is out of range.', { billing_component_id }),
    ];
  }
  if (billings.length === 0) return [];
  const rows = billings.map(billing => ({ assignment_id: assignmentId, ...terms.customer, ...billing }));
  await kysely
    .insertInto('assignment_billings')
    .values(await withIds(transaction, 'assignment_billings', rows))
    .execute();
  return [];
};

/**
 * Removes the billings of an assignment, which is locked and whose approval is being withdrawn.
 * Returns the error that prevents it: one of them has been billed.
 */
export const withdrawBillings = async (
  assignmentId: number,
  field: string,
  { kysely }: Transaction,
): Promise<readonly FieldError[]> => {
  const billings = await kysely
    .selectFrom('assignment_billings')
    .select('billed_on')
    .where('assignment_id', '=', assignmentId)
    .orderBy('id')
    .forUpdate()
    .execute();
  if (billings.some(({ billed_on }) => billed_on !== null)) return [fieldError('assignment_billed', field)];
  if (billings.length > 0)
    await kysely.deleteFrom('assignment_billings').where('assignment_id', '=', assignmentId).execute();
  return [];
};

/** The terms that apply to an assignment, and whom they bill. */
interface Applied extends BillingTerms {
  readonly customer: { readonly client_id: number | null; readonly project_id: number };
}

/** Returns the terms of the profile of an assignment, locked against removal; null: none applies. */
const termsOf = async (assignmentId: number, { kysely }: Transaction): Promise<Applied | null> => {
  const { function_id, client_id, project_id } = await kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .select([
      'f.function_id',
      'p.id as project_id',
      sql<number | null>`coalesce(e.client_id, p.client_id)`.as('client_id'),
    ])
    .where('a.id', '=', assignmentId)
    .executeTakeFirstOrThrow();
  const profile = await kysely
    .selectFrom('billing_profiles')
    .select(['id', 'currency'])
    .where('is_default', '=', true)
    .where('deleted', '=', false)
    .where(({ eb, or }) => or([eb('client_id', '=', client_id), eb('client_id', 'is', null)]))
    .orderBy('client_id', order => order.asc().nullsLast())
    .limit(1)
    .forKeyShare()
    .executeTakeFirst();
  if (!profile) return null;
  const components = await kysely
    .selectFrom('billing_components')
    .select(['id', 'billing_profile_id', 'unit', 'rate', 'factor', 'min_quantity'])
    .where('billing_profile_id', '=', profile.id)
    .where('deleted', '=', false)
    .where(({ eb, or }) => or([eb('function_id', '=', function_id), eb('function_id', 'is', null)]))
    .orderBy('id')
    .forKeyShare()
    .execute();
  const customer = { client_id, project_id };
  return { currency: profile.currency, components: components as Component[], customer };
};
