import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { triggerAutomations } from './trigger.ts';

/** An assignment's status before (null: new assignment) and after a change (null: deleted assignment). */
interface StatusChange {
  readonly assignment_id: number;
  readonly from_status: number | null;
  readonly to_status: number | null;
}

/** Triggers the automations for changed statuses, without deletions, in a fixed number of statements. */
export const triggerOnStatusChanges = async (
  changes: readonly StatusChange[],
  transaction: Transaction,
): Promise<void> => {
  const changed = changes.filter(({ from_status, to_status }) => to_status !== null && from_status !== to_status);
  if (changed.length === 0) return;
  const load = async () => {
    const rows = await transaction.kysely
      .selectFrom('assignments_view')
      .select(['id', 'employee_id', 'event_function_id', 'event_id'])
      .where('id', '=', oneOf(changed.map(({ assignment_id }) => assignment_id)))
      .execute();
    const subjects = new Map(rows.map(({ id, ...rest }) => [id, rest]));
    return changed.map(({ assignment_id, from_status, to_status }) => ({
      assignment_id,
      ...subjects.get(assignment_id),
      from: from_status,
      to: to_status,
    }));
  };
  await triggerAutomations('assignment.status_changed', load, transaction);
};
