import { type Kysely, type SqlBool, sql } from 'kysely';
import { assignmentBooked, eventAborted } from '../../../generated/status-sets.ts';
import type { Tables } from '../../../generated/tables.ts';

/** Builds the query of assignments that take their employees' time, without those of aborted events. */
export const selectBookings = (db: Kysely<Tables>) =>
  db
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('events as booked', 'booked.id', 'f.event_id')
    .select(['a.id', 'a.employee_id', 'f.event_id', 'a.effective_start as start', 'a.effective_end as end'])
    // Literals: with values, a generic plan could not use the index of those that hold a place.
    .where(sql<SqlBool>`a.status in (${sql.join(assignmentBooked.map(status => sql.lit(status)))})`)
    .where('booked.status', 'not in', eventAborted);
