import { sql } from 'kysely';
import { localDateOf } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { hull, type Span } from '../time/span.ts';
import { type Availability, covers, type TimeSlot } from './availability.ts';

/** The times of an assignment. */
export interface AnsweredSpan extends Span {
  readonly id: number;
  readonly employee_id: number;
}

/**
 * Returns the ids of assignments whose employees have reported to be available at their times.
 * None for a tenant without the module availability.
 */
export const coveredByAnswers = async (
  placed: readonly AnsweredSpan[],
  transaction: Transaction,
): Promise<ReadonlySet<number>> => {
  const { modules, timeZone } = transaction.tenant;
  if (placed.length === 0 || !modules.has('availability')) return new Set();
  const rows = await answersDuring(hull(placed), timeZone, transaction)
    .where('r.employee_id', '=', oneOf(placed.map(({ employee_id }) => employee_id)))
    .execute();
  const byEmployee = Map.groupBy(rows, ({ employee_id }) => employee_id);
  const covered = placed.filter(span =>
    byEmployee
      .get(span.employee_id)
      ?.some(({ answer, time_slots }) => covers(span, answer, time_slots as TimeSlot[], timeZone)),
  );
  return new Set(covered.map(({ id }) => id));
};

/** Builds the query of the availabilities given for days on which a time slot may overlap the span. */
const answersDuring = (span: Span, timeZone: string, { kysely }: Transaction) => {
  // A time slot of the previous day may end after midnight.
  const from = localDateOf(String(span.start), timeZone, -1);
  const to = localDateOf(String(span.end), timeZone);
  const days = JSON.stringify({ from, to });
  return kysely
    .selectFrom('availability_requests_availabilities as v')
    .innerJoin('availability_requests as r', 'r.id', 'v.availability_request_id')
    .innerJoin('availability_requests_definitions as d', 'd.availability_request_id', 'v.availability_request_id')
    .select(['r.employee_id', 'd.time_slots'])
    .select(
      sql<
        Availability[]
      >`jsonb_path_query_array(v.availabilities, '$[*] ? (@.date >= $from && @.date <= $to)', ${days}::jsonb)`.as(
        'answer',
      ),
    )
    .where(({ or, eb }) => or([eb('r.from', 'is', null), eb('r.from', '<=', to)]))
    .where(({ or, eb }) => or([eb('r.to', 'is', null), eb('r.to', '>=', from)]));
};
