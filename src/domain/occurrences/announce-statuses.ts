import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { announce } from './announce.ts';

/** An assignment's status before (null: it is new) and after. */
interface StatusChange {
  readonly assignment_id: number;
  readonly from_status: number | null;
  readonly to_status: number;
}

/** Tells automations of the assignments whose status has changed: as many statements for one as for hundreds. */
export const announceStatuses = async (changes: readonly StatusChange[], transaction: Transaction): Promise<void> => {
  const changed = changes.filter(({ from_status, to_status }) => from_status !== to_status);
  if (changed.length === 0) return;
  const tell = async () => {
    const ids = `{${changed.map(({ assignment_id }) => assignment_id).join(',')}}`;
    const rows = await transaction.kysely
      .selectFrom('assignments_view')
      .select(['id', 'employee_id', 'event_function_id', 'event_id'])
      .where('id', '=', sql<number>`any(${ids}::bigint[])`)
      .execute();
    const subjects = new Map(rows.map(({ id, ...rest }) => [id, rest]));
    return changed.map(({ assignment_id, from_status, to_status }) => ({
      assignment_id,
      ...subjects.get(assignment_id),
      from: from_status,
      to: to_status,
    }));
  };
  await announce('assignment.status_changed', tell, transaction);
};
