import { sql } from 'kysely';
import { Temporal } from 'temporal-polyfill';
import type { Transaction } from '../../db/database.ts';
import type { Span } from '../time/span.ts';
import { type Availability, answersWithin, type TimeSlot } from './availability.ts';

/** An employee's answer about a span of time. */
export type AnswerStatus = 'available' | 'unavailable' | 'not_answered';

/**
 * Returns the employees' answers to availability requests about the span, by employee id; employees without an answer
 * are omitted. An employee who is unavailable for part of the span is unavailable.
 * @param timeZone the time zone of the hours of time slots
 */
export const answersAbout = async (
  span: Span,
  timeZone: string,
  { kysely }: Transaction,
): Promise<ReadonlyMap<number, AnswerStatus>> => {
  // A time slot of the previous day may end after midnight.
  const [from, to] = [dayOf(span.start, timeZone, -1), dayOf(span.end, timeZone, 0)];
  const days = JSON.stringify({ from, to });
  const rows = await kysely
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
    .where(({ or, eb }) => or([eb('r.to', 'is', null), eb('r.to', '>=', from)]))
    .execute();
  const statuses = new Map<number, AnswerStatus>();
  for (const { employee_id, time_slots, answer } of rows) {
    for (const { available } of answersWithin(span, answer, time_slots as TimeSlot[], timeZone))
      if (available === 0) statuses.set(employee_id, 'unavailable');
      else if (!statuses.has(employee_id)) statuses.set(employee_id, 'available');
  }
  return statuses;
};

const dayOf = (instant: string | null, timeZone: string, days: number): string =>
  Temporal.Instant.from(instant ?? '')
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .add({ days })
    .toString();
