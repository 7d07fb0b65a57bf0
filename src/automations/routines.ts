import { unrestricted } from '../core/resource/access.ts';
import type { Fields } from '../core/resource/fields.ts';
import type { Transaction } from '../db/database.ts';
import { now } from '../db/now.ts';
import type { Occurrence } from '../domain/occurrences/trigger.ts';
import { rulebookOf } from '../domain/rules/rulebook.ts';
import { changeStatus } from '../domain/staffing/change-status.ts';
import { staffingLocks } from '../domain/staffing/locks.ts';
import type { Status } from '../domain/staffing/transition.ts';

/**
 * Changes the tenant's own records, under the same rules as API users.
 * @returns the error code; null on success
 */
export type Routine = (
  configuration: Readonly<Record<string, unknown>>,
  occurrence: Occurrence,
  transaction: Transaction,
  fields: Fields,
) => Promise<string | null>;

const setStatus: Routine = async ({ status }, { assignment_id: id }, transaction, fields) => {
  const rulebook = rulebookOf(fields, transaction.tenant, unrestricted);
  const request = { to: status as Status, force: false, atomic: true, rulebook, apiUserId: null };
  const [outcome] = await changeStatus({ ...request, ids: [Number(id)] }, transaction);
  if (!outcome || outcome.from === null) return 'not_found';
  return outcome.errors[0]?.code ?? null;
};

const lock: Routine = async (_, occurrence, transaction) => {
  const asked = { functions: await functionsOf(occurrence, transaction) };
  const [, functions] = await transaction.run(...staffingLocks(asked));
  if (functions.length === 0) return 'not_found';
  const ids = functions.map(({ id }) => id);
  await transaction.kysely
    .updateTable('event_functions')
    .set({ is_locked: true, updated_at: now })
    .where('id', 'in', ids)
    .where('is_locked', '=', false)
    .execute();
  return null;
};

/** The ids of the occurrence's event function or, without one, of all functions of its event. */
const functionsOf = async (
  { event_function_id, event_id }: Occurrence,
  { kysely }: Transaction,
): Promise<readonly number[]> => {
  if (typeof event_function_id === 'number') return [event_function_id];
  const rows = await kysely
    .selectFrom('event_functions')
    .select('id')
    .where('event_id', '=', Number(event_id))
    .execute();
  return rows.map(({ id }) => id);
};

/** The routines that change records, by type. */
export const routines: Readonly<Record<string, Routine>> = {
  'assignment.set_status': setStatus,
  'function.lock': lock,
};
