import { assignmentBooked, eventAborted } from '../../../generated/status-sets.ts';
import type { Transaction } from '../../db/database.ts';

/** Builds the query of the assignments that take their employees' time; those of aborted events take none. */
export const selectBookings = ({ kysely }: Transaction) =>
  kysely
    .selectFrom('assignments_view as a')
    .innerJoin('events as booked', 'booked.id', 'a.event_id')
    .select(['a.id', 'a.employee_id', 'a.event_id', 'a.start', 'a.end'])
    .where('a.status', 'in', assignmentBooked)
    .where('booked.status', 'not in', eventAborted);
