import { sql } from 'kysely';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { withIds } from '../../db/ids.ts';
import { isWithin } from '../pay/money.ts';
import { type BillingTerms, type Component, deriveBillings } from './derive.ts';
import { type BilledItem, missingBillings } from './difference.ts';

/** The largest amount of a billing. */
export const largestAmount = 9_999_999_999;

/**
 * Derives and stores the billings of a locked assignment that is being approved.
 * Those that are billed stay, and are deducted. With errors, roll back. Does nothing for a tenant without the module billing.
 * See docs/decisions.md, "Billing" and "Corrections".
 */
export const billWork = async (
  assignmentId: number,
  field: string,
  transaction: Transaction,
): Promise<readonly FieldError[]> => {
  const { kysely, tenant } = transaction;
  if (!tenant.modules.has('billing')) return [];
  const terms = await termsOf(assignmentId, transaction);
  const billed = await billedOf(assignmentId, transaction);
  const works = await kysely
    .selectFrom('work_times')
    .select(['start', 'end', 'break_start', 'break_end'])
    .where('event_function_employee_id', '=', assignmentId)
    .execute();
  const derived = deriveBillings(works, terms, tenant.timeZone);
  const billings = missingBillings(derived, billed);
  const tooLarge = [...derived, ...billings].find(
    ({ billable_amount }) => !isWithin(billable_amount, -largestAmount, largestAmount),
  );
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
 * Returns the billings of a locked assignment that have been billed.
 * Only a reopened one has any when it is approved.
 */
const billedOf = async (assignmentId: number, { kysely }: Transaction): Promise<readonly BilledItem[]> =>
  kysely
    .selectFrom('assignment_billings')
    .select(['id', 'billing_profile_id', 'billing_component_id', 'corrects_billing_id', 'client_id', 'project_id'])
    .select(['unit', 'currency'])
    .select([
      sql<string>`quantity::text`.as('quantity'),
      sql<string>`rate::text`.as('rate'),
      sql<string>`factor::text`.as('factor'),
      sql<string>`billable_amount::text`.as('billable_amount'),
    ])
    .where('assignment_id', '=', assignmentId)
    .where('billed_on', 'is not', null)
    .orderBy('id')
    .execute();

/** Removes the billings of a locked assignment that have not been billed. */
export const dropUnbilled = async (assignmentId: number, { kysely }: Transaction): Promise<void> => {
  await kysely
    .deleteFrom('assignment_billings')
    .where('assignment_id', '=', assignmentId)
    .where('billed_on', 'is', null)
    .execute();
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

/**
 * Returns the terms of the profile of an assignment, locked against removal.
 * Without a profile, they have no components.
 */
const termsOf = async (assignmentId: number, { kysely }: Transaction): Promise<Applied> => {
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
  const customer = { client_id, project_id };
  if (!profile) return { currency: '', components: [], customer };
  const components = await kysely
    .selectFrom('billing_components')
    .select(['id', 'billing_profile_id', 'unit', 'rate', 'factor', 'min_quantity'])
    .where('billing_profile_id', '=', profile.id)
    .where('deleted', '=', false)
    .where(({ eb, or }) => or([eb('function_id', '=', function_id), eb('function_id', 'is', null)]))
    .orderBy('id')
    .forKeyShare()
    .execute();
  return { currency: profile.currency, components: components as Component[], customer };
};
