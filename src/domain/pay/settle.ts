import { chunksOf } from '../../core/chunks.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf, withIds } from '../../db/ids.ts';
import { fromRecordset, recordset } from '../../engine/writing/recordset.ts';
import type { WorkedTimes } from '../work/worked.ts';
import { deriveWages } from './derive.ts';
import { termsOf } from './holidays.ts';
import { labelsOf, type Profile } from './profile.ts';
import { asDerived, type KnownWage, reconcile } from './reconcile.ts';

/**
 * Derives and stores the wages of locked assignments from work times and wage profiles.
 * The number of statements does not depend on the number of assignments. Does nothing for a tenant without the
 * module payroll.
 */
export const settle = async (assignmentIds: readonly number[], transaction: Transaction): Promise<void> => {
  const { kysely, tenant } = transaction;
  if (assignmentIds.length === 0 || !tenant.modules.has('payroll')) return;
  const list = oneOf(assignmentIds);
  const profiles = await termsOf(assignmentIds, transaction);
  const works = await kysely
    .selectFrom('work_times')
    .select(['event_function_employee_id', 'start', 'end', 'break_start', 'break_end'])
    .where('event_function_employee_id', '=', list)
    .orderBy('id')
    .execute();
  const known = await kysely
    .selectFrom('assignment_wages')
    .select(['id', 'assignment_id', 'wage_type_id', 'base_value', 'factor', 'payable_amount'])
    .select(['derived_base_value', 'derived_factor'])
    .where('assignment_id', '=', list)
    .where('wage_type_id', 'is not', null)
    .orderBy('id')
    .execute();
  const worksOf = Map.groupBy(works, work => work.event_function_employee_id);
  const knownOf = Map.groupBy(known, wage => wage.assignment_id);
  const changes = assignmentIds.map(id =>
    change(id, profiles.get(id), worksOf.get(id) ?? [], (knownOf.get(id) ?? []) as KnownWage[], tenant.timeZone),
  );
  await store(
    {
      added: changes.flatMap(({ added }) => added),
      kept: changes.flatMap(({ kept }) => kept),
      outdated: changes.flatMap(({ outdated }) => outdated),
      stale: changes.flatMap(({ stale }) => stale),
      removed: changes.flatMap(({ removed }) => removed),
    },
    transaction,
  );
};

const change = (
  assignment_id: number,
  profile: Profile | undefined,
  works: readonly WorkedTimes[],
  known: readonly KnownWage[],
  timeZone: string,
) => {
  const { added, kept, ...others } = reconcile(known, profile ? deriveWages(works, profile, timeZone) : []);
  const byId = new Map(profile?.wageTypes.map(wageType => [wageType.id, labelsOf(profile, wageType)]));
  return {
    added: added.map(wage => ({ assignment_id, ...wage, ...asDerived(wage), ...byId.get(wage.wage_type_id) })),
    kept: kept.map(wage => ({ ...wage, ...byId.get(wage.wage_type_id) })),
    ...others,
  };
};

const store = async (
  { added, kept, outdated, stale, removed }: ReturnType<typeof change>,
  transaction: Transaction,
): Promise<void> => {
  const { kysely } = transaction;
  if (removed.length > 0) await kysely.deleteFrom('assignment_wages').where('id', '=', oneOf(removed)).execute();
  if (stale.length > 0)
    await kysely.updateTable('assignment_wages').set({ is_valid: false }).where('id', '=', oneOf(stale)).execute();
  if (kept.length > 0) await update(kept, { ...columns, ...derivedColumns }, transaction);
  if (outdated.length > 0) await update(outdated, derivedColumns, transaction);
  for (const chunk of chunksOf(await withIds(transaction, 'assignment_wages', added), MOST))
    await kysely.insertInto('assignment_wages').values(chunk).execute();
};

/** The number of wages of one insert: six of each of 500 assignments. */
const MOST = 3_000;

/** The columns of a stored wage that a derivation updates unless the wage has been edited. */
const columns = {
  wage_profile_id: 'bigint',
  type: 'text',
  currency: 'text',
  payable_amount: 'numeric',
  base_value: 'numeric',
  factor: 'numeric',
  'wage_type.id': 'bigint',
  'wage_type.factor': 'numeric',
  'wage_type_value.value': 'numeric',
  'wage_type.name': 'text',
  'wage_type.external_id': 'text',
  'wage_type.currency_format': 'text',
  'wage_type_value.unit': 'text',
};

/** The columns that hold what the last derivation yielded, and whether the wage still fits it. */
const derivedColumns = {
  derived_base_value: 'numeric',
  derived_factor: 'numeric',
  is_valid: 'boolean',
};

type WageColumns = Readonly<Record<string, string>>;

/** Updates the columns of wages by their ids, in one statement. */
const update = async (rows: readonly object[], stored: WageColumns, { kysely }: Transaction): Promise<void> => {
  await kysely
    .updateTable('assignment_wages as w')
    .from(recordset(rows, stored))
    .set(fromRecordset(stored))
    .whereRef('w.id', '=', 'd.id')
    .execute();
};
