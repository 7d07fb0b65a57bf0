import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { hull, type Span } from '../time/span.ts';
import { selectBookings } from './bookings.ts';
import type { Worker } from './checks.ts';
import type { Employee } from './locks.ts';

/**
 * Returns employees, who are locked, with their bookings and absences during the spans. Call it after all locks are
 * acquired: only then does it see the changes of transactions that this one has waited for.
 */
export const workersWithin = async (
  employees: readonly Employee[],
  spans: readonly Span[],
  transaction: Transaction,
): Promise<ReadonlyMap<number, Worker>> => {
  if (employees.length === 0) return new Map();
  const list = sql<number>`any(${literal(employees.map(({ id }) => id))}::bigint[])`;
  const { start, end } = hull(spans);
  let bookings = selectBookings(transaction).where('a.employee_id', '=', list).orderBy('a.id');
  let absences = transaction.kysely
    .selectFrom('busy_dates')
    .select(['employee_id', 'start', 'end'])
    .where('employee_id', '=', list);
  if (start !== null) {
    bookings = bookings.where('a.end', '>', start);
    absences = absences.where('end', '>', start);
  }
  if (end !== null) {
    bookings = bookings.where('a.start', '<', end);
    absences = absences.where('start', '<', end);
  }
  const booked = Map.groupBy(await bookings.execute(), ({ employee_id }) => employee_id);
  const absent = Map.groupBy(await absences.execute(), ({ employee_id }) => employee_id);
  return new Map(
    employees.map(employee => [
      employee.id,
      {
        ...employee,
        bookings: (booked.get(employee.id) ?? []).map(({ id: assignment_id, event_id, start, end }) => ({
          assignment_id,
          event_id,
          start,
          end,
        })),
        absences: absent.get(employee.id) ?? [],
      },
    ]),
  );
};
