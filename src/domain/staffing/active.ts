import type { Transaction } from '../../db/database.ts';
import { literal, oneIn } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { prepare } from '../../db/prepared.ts';

const active = { last_active_at: now, updated_at: now };

const activating = prepare((db, { assignments }: { assignments: string }) =>
  db
    .updateTable('employees as w')
    .from('assignments as a')
    .set(active)
    .whereRef('w.id', '=', 'a.employee_id')
    .where('a.id', '=', oneIn(assignments))
    .where('w.forgotten_at', 'is', null),
);

const activatingOne = prepare((db, { id }: { id: number }) =>
  db.updateTable('employees').set(active).where('id', '=', id).where('forgotten_at', 'is', null),
);

/**
 * Records that the employees of assignments, who are locked, have just done something themselves.
 * With the next trip. Nothing is recorded of those who have been forgotten. See docs/decisions.md, "Bookings and places".
 */
export const recordActivity = (assignmentIds: readonly number[], transaction: Transaction): void =>
  void transaction.defer(activating({ assignments: literal(assignmentIds) }));

/** Records that a locked employee has just done something, with the next trip. */
export const recordActivityOf = (employeeId: number, transaction: Transaction): void =>
  void transaction.defer(activatingOne({ id: employeeId }));
