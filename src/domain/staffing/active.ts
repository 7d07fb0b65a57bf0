import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { now } from '../../db/now.ts';

/** Records that the employees of assignments, who are locked, have just done something themselves. */
export const recordActivity = async (assignmentIds: readonly number[], { kysely }: Transaction): Promise<void> => {
  await kysely
    .updateTable('employees as w')
    .from('assignments as a')
    .set({ last_active_at: now, updated_at: now })
    .whereRef('w.id', '=', 'a.employee_id')
    .where('a.id', '=', among(assignmentIds))
    .execute();
};

/** Records that an employee, who is locked, has just done something without an assignment. */
export const recordActivityOf = async (employeeId: number, { kysely }: Transaction): Promise<void> => {
  const active = { last_active_at: now, updated_at: now };
  await kysely.updateTable('employees').set(active).where('id', '=', employeeId).execute();
};

const among = (ids: readonly number[]): RawBuilder<number> => sql`any(${literal(ids)}::bigint[])`;
