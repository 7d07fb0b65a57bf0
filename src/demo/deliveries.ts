import { sql } from 'kysely';
import { withIds } from '../db/ids.ts';
import type { OwnerTransaction } from '../db/owner.ts';

const minute = 60_000;

/** The outcomes of deliveries, assigned in rotation. */
const outcomes = [
  { status: 2, attempt: 1, response_status: 204, error: null, duration: 96 },
  { status: 2, attempt: 1, response_status: 200, error: null, duration: 141 },
  { status: 2, attempt: 3, response_status: 204, error: null, duration: 118 },
  { status: 3, attempt: 10, response_status: 503, error: 'not_accepted', duration: 230 },
  { status: 3, attempt: 1, response_status: 410, error: 'not_accepted', duration: 88 },
] as const;

/**
 * Adds finished deliveries of the automation on changes of an assignment's status.
 * @returns the number of deliveries
 */
export const addDeliveries = async (transaction: OwnerTransaction): Promise<number> => {
  const { kysely } = transaction;
  const automation = await kysely
    .selectFrom('automations')
    .select('id')
    .where('trigger_type', '=', 'assignment.status_changed')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const confirmed = await kysely
    .selectFrom('assignments_view')
    .select(['id', 'employee_id', 'event_function_id', 'event_id', 'created_at'])
    .where('status', '=', 7)
    // The last ones, which are kept for a while, of assignments whose confirmation has been.
    .where('created_at', '<', sql<string>`date_trunc('day', now()) - interval '1 day'`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(25)
    .execute();
  const rows = confirmed.toReversed().map(({ id, created_at, ...subjects }, index) => {
    const outcome = outcomes[index % outcomes.length] as (typeof outcomes)[number];
    const at = (minutes: number) => new Date(Date.parse(created_at) + minutes * minute).toISOString();
    return {
      automation_id: automation.id,
      event_type: 'assignment.status_changed',
      data: JSON.stringify({ assignment_id: id, ...subjects, from: 6, to: 7 }),
      ...outcome,
      created_at: at(90),
      attempted_at: at(90 + outcome.attempt),
      next_attempt_at: null,
    };
  });
  await kysely
    .insertInto('automation_deliveries')
    .values(await withIds(transaction, 'automation_deliveries', rows))
    .execute();
  return rows.length;
};
