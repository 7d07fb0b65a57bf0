import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import { hull, type Span } from '../time/span.ts';
import { selectBookings } from './bookings.ts';
import type { Worker } from './checks.ts';

/** Ids of employees as an array literal, and a span. */
interface WantedEmployees extends Span {
  readonly employees: string;
}

const among = (employees: string) => sql<number>`any(${employees}::bigint[])`;
const from = (start: string | null) => sql<string>`coalesce(${start}::timestamptz, '-infinity')`;
const until = (end: string | null) => sql<string>`coalesce(${end}::timestamptz, 'infinity')`;

const bookingsWithin = prepare((db, { employees, start, end }: WantedEmployees) =>
  selectBookings(db)
    .where('a.employee_id', '=', among(employees))
    .where('a.effective_end', '>', from(start))
    .where('a.effective_start', '<', until(end))
    .orderBy('a.id'),
);

const absencesWithin = prepare((db, { employees, start, end }: WantedEmployees) =>
  db
    .selectFrom('busy_dates')
    .select(['employee_id', 'start', 'end'])
    .where('employee_id', '=', among(employees))
    .where('end', '>', from(start))
    .where('start', '<', until(end)),
);

/**
 * Loads the bookings and absences of employees, who are locked, during the spans.
 * Call it after all locks are acquired: only then does it see the changes of transactions that this one has waited for.
 */
export const loadObstacles = async (
  workers: readonly Worker[],
  spans: readonly Span[],
  transaction: Transaction,
): Promise<void> => {
  if (workers.length === 0) return;
  const wanted = { employees: literal(workers.map(({ id }) => id)), ...hull(spans) };
  const [bookings, absences] = await transaction.run(bookingsWithin(wanted), absencesWithin(wanted));
  const booked = Map.groupBy(bookings, ({ employee_id }) => employee_id);
  const absent = Map.groupBy(absences, ({ employee_id }) => employee_id);
  for (const worker of workers) {
    worker.bookings = (booked.get(worker.id) ?? []).map(({ id, event_id, start, end }) => ({
      assignment_id: id,
      event_id,
      start,
      end,
    }));
    worker.absences = absent.get(worker.id) ?? [];
  }
};
