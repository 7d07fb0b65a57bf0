import { sql } from 'kysely';
import { chunksOf } from '../../core/chunks.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf, withIds } from '../../db/ids.ts';
import { isStorable } from '../pay/money.ts';
import { type BillingTerms, type Component, type DerivedBilling, deriveBillings } from './derive.ts';
import { missingBillings } from './difference.ts';

/** The number of billings of one insert: six of each of 500 assignments. */
const MOST = 3_000;

/**
 * Derives and stores the billings of locked assignments that are being approved.
 * Those that stay are deducted. The number of statements does not depend on the number of assignments. With errors, roll
 * back. Does nothing for a tenant without the module billing. See docs/decisions.md, "Billing" and "Corrections".
 * @returns the errors, by assignment
 */
export const billWork = async (
  assignmentIds: readonly number[],
  field: string,
  transaction: Transaction,
): Promise<ReadonlyMap<number, readonly FieldError[]>> => {
  const { kysely, tenant } = transaction;
  if (!tenant.modules.has('billing')) return new Map();
  const termsOf = await appliedTerms(assignmentIds, transaction);
  // A billing may have become unbilled since the work was reopened.
  const kept = Map.groupBy(await dropUnbilled(assignmentIds, transaction), ({ assignment_id }) => assignment_id);
  const works = await kysely
    .selectFrom('work_times')
    .select(['event_function_employee_id', 'start', 'end', 'break_start', 'break_end'])
    .where('event_function_employee_id', '=', oneOf(assignmentIds))
    .execute();
  const worksOf = Map.groupBy(works, work => work.event_function_employee_id);
  const found = assignmentIds.map(id => {
    const { customer, ...terms } = termsOf(id);
    const derived = deriveBillings(worksOf.get(id) ?? [], terms, tenant.timeZone);
    const billings = missingBillings(derived, kept.get(id) ?? []);
    const rows = billings.map(billing => ({ assignment_id: id, ...customer, ...billing }));
    return { id, rows, errors: rangeErrors([...derived, ...billings], field) };
  });
  const added = found.flatMap(({ rows, errors }) => (errors.length > 0 ? [] : rows));
  for (const chunk of chunksOf(await withIds(transaction, 'assignment_billings', added), MOST))
    await kysely.insertInto('assignment_billings').values(chunk).execute();
  return new Map(found.map(({ id, errors }) => [id, errors]));
};

const rangeErrors = (billings: readonly DerivedBilling[], field: string): readonly FieldError[] => {
  const tooLarge = billings.find(({ billable_amount }) => !isStorable(billable_amount));
  if (!tooLarge) return [];
  const { billing_component_id } = tooLarge;
  return [
    fieldError('out_of_range', field, 'The amount of a billing component is out of range.', { billing_component_id }),
  ];
};

/**
 * Removes the billings of locked assignments that have not been billed, and returns those that stay.
 * They are the billed ones, and what a billed difference corrects. Only reopened work has any.
 */
export const dropUnbilled = async (assignmentIds: readonly number[], { kysely }: Transaction) => {
  const billings = await kysely
    .selectFrom('assignment_billings')
    .select(['id', 'billing_profile_id', 'billing_component_id', 'corrects_billing_id', 'client_id', 'project_id'])
    .select(['assignment_id', 'unit', 'currency', 'billed_on'])
    .select([
      sql<string>`quantity::text`.as('quantity'),
      sql<string>`rate::text`.as('rate'),
      sql<string>`factor::text`.as('factor'),
      sql<string>`billable_amount::text`.as('billable_amount'),
    ])
    .where('assignment_id', '=', oneOf(assignmentIds))
    .orderBy('id')
    .forUpdate()
    .execute();
  const billed = billings.filter(({ billed_on }) => billed_on !== null);
  const staying = new Set(billed.flatMap(({ id, corrects_billing_id }) => [id, corrects_billing_id]));
  const removed = billings.filter(({ id }) => !staying.has(id));
  if (removed.length > 0)
    await kysely
      .deleteFrom('assignment_billings')
      .where('id', '=', oneOf(removed.map(({ id }) => id)))
      .execute();
  return billings.filter(({ id }) => staying.has(id));
};

/**
 * Removes the billings of assignments, which are locked and whose approval is being withdrawn.
 * @returns those of which one has been billed, which prevents it
 */
export const withdrawBillings = async (
  assignmentIds: readonly number[],
  transaction: Transaction,
): Promise<ReadonlySet<number>> =>
  new Set((await dropUnbilled(assignmentIds, transaction)).map(({ assignment_id }) => assignment_id));

/** The terms that apply to an assignment, and whom they bill. */
interface Applied extends BillingTerms {
  readonly customer: { readonly client_id: number | null; readonly project_id: number };
}

/**
 * Returns the terms of the profiles of assignments, locked against removal.
 * Without a profile, they have no components.
 */
const appliedTerms = async (
  assignmentIds: readonly number[],
  transaction: Transaction,
): Promise<(assignmentId: number) => Applied> => {
  const works = await transaction.kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .select([
      'a.id',
      'f.function_id',
      'p.id as project_id',
      sql<number | null>`coalesce(e.client_id, p.client_id)`.as('client_id'),
    ])
    .where('a.id', '=', oneOf(assignmentIds))
    .execute();
  const profiles = await defaultProfiles(works, transaction);
  const profileOf = (client: number | null) =>
    profiles.find(({ client_id }) => client_id === client) ?? profiles.find(({ client_id }) => client_id === null);
  const components = await componentsOf(profiles, works, transaction);
  const terms = new Map(
    works.map(({ id, function_id, project_id, client_id }): [number, Applied] => {
      const customer = { client_id, project_id };
      const profile = profileOf(client_id);
      const own = components.filter(
        component =>
          component.billing_profile_id === profile?.id &&
          (component.function_id === null || component.function_id === function_id),
      );
      return [id, { currency: profile?.currency ?? '', components: own.map(priced), customer }];
    }),
  );
  return id => {
    const applied = terms.get(id);
    if (!applied) throw new Error('An assignment does not exist although it is locked.');
    return applied;
  };
};

interface BilledWork {
  readonly function_id: number;
  readonly client_id: number | null;
}

/** Returns the default profiles of the clients of work, and that of the tenant. */
const defaultProfiles = (works: readonly BilledWork[], { kysely }: Transaction) =>
  kysely
    .selectFrom('billing_profiles')
    .select(['id', 'currency', 'client_id'])
    .where('is_default', '=', true)
    .where('deleted', '=', false)
    .where(({ eb, or }) =>
      or([eb('client_id', '=', oneOf(works.flatMap(({ client_id }) => client_id ?? []))), eb('client_id', 'is', null)]),
    )
    .orderBy('id')
    .forKeyShare()
    .execute();

type StoredComponent = Component & { readonly function_id: number | null };

/** Returns the components of profiles for the functions of work, in the order of their ids. */
const componentsOf = async (
  profiles: readonly { readonly id: number }[],
  works: readonly BilledWork[],
  { kysely }: Transaction,
): Promise<readonly StoredComponent[]> => {
  if (profiles.length === 0) return [];
  const components = await kysely
    .selectFrom('billing_components')
    .select(['id', 'billing_profile_id', 'function_id', 'unit', 'rate', 'factor', 'min_quantity'])
    .where('billing_profile_id', '=', oneOf(profiles.map(({ id }) => id)))
    .where('deleted', '=', false)
    .where(({ eb, or }) =>
      or([eb('function_id', '=', oneOf(works.map(({ function_id }) => function_id))), eb('function_id', 'is', null)]),
    )
    .orderBy('id')
    .forKeyShare()
    .execute();
  return components as StoredComponent[];
};

const priced = ({ function_id: _, ...component }: StoredComponent): Component => component;
